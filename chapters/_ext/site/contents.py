"""The pages of the book, as `_toc.yml` names them: the build and the site tests ask here.

Run as a program, it fails when a page has not become HTML; Jupyter Book 2, for one, ends well
without having written any.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
SITE = ROOT / "_build" / "html"


def pages(toc: Path = ROOT / "_toc.yml") -> list[str]:
    """Return every page of the table of contents, without suffix, in reading order."""

    def below(entry: dict) -> list[str]:
        own = [entry["file"].removesuffix(".ipynb").removesuffix(".md")] if "file" in entry else []
        inner = [*entry.get("parts", []), *entry.get("chapters", []), *entry.get("sections", [])]
        return own + [page for each in inner for page in below(each)]

    contents = yaml.safe_load(toc.read_text(encoding="utf-8"))
    return below({**contents, "file": contents["root"]})


def page_named(name: str) -> str:
    """Return the page that an argument names, with or without its folder and suffix.

    Raises:
        ArgumentTypeError: if there is none; the message names one that is spelled alike.
    """
    known = pages()
    bare = name.removesuffix(".html").removesuffix(".ipynb").removesuffix(".md")
    for page in (bare, f"chapters/{bare}"):
        if page in known:
            return page
    alike = difflib.get_close_matches(bare, [page.removeprefix("chapters/") for page in known], 1)
    hint = f"do you mean {alike[0]}?" if alike else "_toc.yml has all of them."
    raise argparse.ArgumentTypeError(f"there is no page {name}; {hint}")


def missing(site: Path = SITE) -> list[str]:
    """Return the HTML files that the built book should have and has not."""
    expected = ["index.html", *(f"{page}.html" for page in pages())]
    return [name for name in expected if not (site / name).is_file()]


def main() -> int:
    """Check the built book."""
    if not_built := missing():
        print(f"These pages are in _toc.yml but not in {SITE}: {', '.join(not_built)}.")
        return 1
    print(f"Pages: {', '.join(pages())}. `make serve` shows them on localhost.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
