"""The book to take along: all of it in one archive, or, of a site, the pages that were opened.

`book.zip` is what was built, and works from a folder. `worker.js` runs in the browser of who reads
the book over https: it keeps what was opened, and shows it when there is no network.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

from sphinx.application import Sphinx

ARCHIVE, WORKER = "book.zip", "worker.js"
FOLDER = "transformer-from-scratch"  # in the archive
PACKED = (".zip", ".woff2", ".png")
ALWAYS = (2026, 1, 1, 0, 0, 0)  # the same book gives the same archive
# In the archive it would lead nowhere.
LINK = re.compile(rf'<a class="book-archive"[^>]*href="[^"]*{ARCHIVE}"[^>]*>(.*?)</a>', re.DOTALL)


def files(site: Path) -> list[Path]:
    """Return the files of the built book, without what is made here and what Sphinx notes down."""
    made = {site / ARCHIVE, site / WORKER}
    found = {file for file in site.rglob("*") if file.is_file()} - made
    return sorted(file for file in found if not file.name.startswith("."))


def version(site: Path) -> str:
    """Return what is another word for each other book."""
    whole = hashlib.sha256()
    for file in files(site):
        whole.update(str(file.relative_to(site)).encode())
        whole.update(hashlib.file_digest(file.open("rb"), "sha256").digest())
    return whole.hexdigest()[:12]


def write_archive(site: Path) -> None:
    """Put the whole book into one archive."""
    with zipfile.ZipFile(site / ARCHIVE, "w") as archive:
        for file in files(site):
            content = file.read_bytes()
            if file.suffix == ".html":
                content = LINK.sub(r"\1", content.decode()).encode()
            entry = zipfile.ZipInfo(f"{FOLDER}/{file.relative_to(site).as_posix()}", ALWAYS)
            entry.external_attr = 0o644 << 16
            packed = zipfile.ZIP_STORED if file.suffix in PACKED else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, packed)


def write_worker(site: Path, script: Path, book: str) -> None:
    """Write the worker beside the pages, as a new one if the book is: then it looks at it again."""
    source = script.read_text(encoding="utf-8")
    (site / WORKER).write_text(f"// book {book}\n{source}", encoding="utf-8")


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write both, when all else is written."""
    if exception is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    script = site / "_static" / WORKER
    source = Path(__file__).parents[2] / "_static" / WORKER
    script.unlink(missing_ok=True)  # where it is copied to it could see no page
    book = version(site)
    worker = site / WORKER
    if not (site / ARCHIVE).exists() or book not in worker.read_text(encoding="utf-8"):
        write_archive(site)
    write_worker(site, source, book)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, after all that changes a page."""
    app.connect("build-finished", finish, priority=999)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
