"""Ask Lighthouse about the built book: accessibility, good practice, search engines, speed.

The book is served as a web server would, compressed. Lighthouse itself comes from npm, at a fixed
version. `make lighthouse` runs this for all pages, as on a phone and as on a laptop, half a minute
each; it fails when a page scores less than it should. PAGES="index 08_decoder" names pages, RUNS=3
takes the median of three runs. Speed is measured, so the machine should have nothing else to do.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _ext.site.chromium import program
from _ext.site.contents import SITE, missing, page_named, pages

LIGHTHOUSE = "lighthouse@12.8.2"
PRESETS = {"phone": [], "laptop": ["--preset=desktop"]}  # Lighthouse's own is a phone
LEAST = {"performance": 85, "accessibility": 100, "best-practices": 100, "seo": 100}
FIRST_PAGE = 90  # its performance
TEXT = (".html", ".css", ".js", ".svg", ".json", ".xml")


class Compressing(http.server.SimpleHTTPRequestHandler):
    """Serve files, those of text compressed, and log nothing."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the file, or that there is none."""
        file = Path(self.translate_path(self.path))
        if not file.is_file():
            self.send_error(404)
            return
        content = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if file.suffix in TEXT:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_) -> None:
        """Keep quiet."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of this machine, and give its address."""
    handler = functools.partial(Compressing, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def scores(address: str, preset: str, browser: str) -> tuple[dict[str, int], list[str]]:
    """Return what Lighthouse gives a page, and the checks that it does not pass."""
    command = [
        *(shutil.which("npx"), "--yes", LIGHTHOUSE, address),
        *(*PRESETS[preset], "--output=json", "--quiet"),
        f"--only-categories={','.join(LEAST)}",
        "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]
    answer = subprocess.run(
        command,
        env={**os.environ, "CHROME_PATH": browser},
        stdout=subprocess.PIPE,
        check=True,
    )
    report = json.loads(answer.stdout)
    found = {name: round(100 * report["categories"][name]["score"]) for name in LEAST}
    failed = [
        f"{audit['id']}: {audit['title']} {audit.get('displayValue', '')}".strip()
        for audit in report["audits"].values()
        if audit["score"] is not None and audit["score"] < 0.9
    ]
    return found, failed


def median_of(runs: list[tuple[dict[str, int], list[str]]]) -> tuple[dict[str, int], list[str]]:
    """Return the run whose performance is in the middle."""
    return sorted(runs, key=lambda run: run[0]["performance"])[len(runs) // 2]


def main() -> int:
    """Ask about the pages that are named, else about all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=page_named, metavar="PAGE", help="(default: all)")
    parser.add_argument("--runs", type=int, default=1, help="take the median of so many")
    asked = parser.parse_args()
    if asked.runs < 1:
        parser.error(f"--runs {asked.runs}: expected 1 or more.")
    try:
        browser = program()
    except FileNotFoundError as error:
        parser.error(str(error))
    if shutil.which("npx") is None:
        print("Lighthouse needs Node.js 18.16 or newer with npm: https://nodejs.org")
        return 1
    if lacking := missing():
        print(f"The book is not built ({lacking[0]} is missing): run `make book` first.")
        return 1
    enough = True
    with served(SITE) as address:
        for page in asked.pages or pages():
            for preset in PRESETS:
                try:
                    runs = [
                        scores(f"{address}/{page}.html", preset, browser) for _ in range(asked.runs)
                    ]
                except subprocess.CalledProcessError as error:  # it has said why
                    print(f"Lighthouse ended with status {error.returncode} on {page}.")
                    return 1
                found, failed = median_of(runs)
                print(page, preset, *(f"{name} {found[name]}" for name in LEAST), sep="  ")
                least = {**LEAST, "performance": FIRST_PAGE} if page == pages()[0] else LEAST
                if any(found[name] < least[name] for name in least):
                    enough = False
                    print(*(f"  {line}" for line in failed), sep="\n", flush=True)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
