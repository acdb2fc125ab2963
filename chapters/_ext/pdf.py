"""The whole book as one PDF: each built page printed by Chromium, joined behind its contents.

Links between pages of the book become links inside the PDF; a link to a file beside the pages leads
to the published site, if its address is known, and is text otherwise. What the grader knows stays
out: it is for looking things up. `make pdf` runs this; it asks no other host.
"""

from __future__ import annotations

import html
import io
import os
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import yaml
from chromium import ARGUMENTS, program
from pages import ROOT, SITE, missing, pages
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import ArrayObject, Fit, FloatObject, NameObject, TextStringObject

BOOK = SITE.parent / "transformer.pdf"
TITLE = "The Transformer from scratch"
LEFT_OUT = "chapters/appendix_matrix"
SCALE = 0.72  # of the size on a screen
MARGIN = {"top": "18mm", "bottom": "20mm", "left": "18mm", "right": "18mm"}
NUMBER = '<p style="width: 100%; font: 9px sans-serif; text-align: center" class="pageNumber"></p>'
HEAD_MARGIN = {**MARGIN, "top": "10mm"}
HEAD = '<p style="break-after: page; margin: 0; font: 9px sans-serif; text-align: right">{}</p>'
FRONT = """<!DOCTYPE html><html lang="en"><title>{title}</title><style>
  body {{ font: 11pt/1.5 sans-serif }}
  h1 {{ margin: 85mm 0 0; font-size: 30pt; line-height: 1.2 }}
  h2 {{ break-before: page }}
  div {{ display: flex; break-inside: avoid }}
  div.h1 {{ margin-top: 0.7em; font-weight: bold; break-after: avoid }}
  div.h2 {{ margin-left: 1.5em }}
  a {{ color: inherit; text-decoration: none; max-width: 88% }}
  i {{ flex: 1; margin: 0 0.4em; border-bottom: 1px dotted; height: 1em }}
</style><h1>{title}</h1><p>{printed}</p><h2>Contents</h2>{lines}</html>"""
LINE = '<div class="h{level}"><a href="{address}">{text}</a><i></i>{number}</div>'

# Chromium notes the place of an anchor only where a link of the same page leads to it.
LINK_TO_ANCHORS = """anchors => {
  const links = document.createElement("nav");
  links.hidden = true;
  for (const anchor of anchors) links.append(Object.assign(document.createElement("a"),
                                                           {href: "#" + anchor}));
  document.body.append(links);
}"""
HEADINGS = """() => [...document.querySelectorAll(".bd-article section[id]")].map(section => {
  const heading = section.querySelector(":scope > :is(h1, h2, h3)");
  const text = heading?.cloneNode(true);
  text?.querySelectorAll(".headerlink").forEach(link => link.remove());
  return heading && {level: Number(heading.tagName[1]), text: text.textContent.trim(),
                     id: section.id};
}).filter(Boolean)"""
LOADED = """async () => {
  await document.fonts.ready;
  document.querySelectorAll("details").forEach(box => { box.open = true; });
}"""


def anchors_between_pages() -> dict[str, set[str]]:
    """Return for each page's address the anchors that the book's pages lead to."""
    found = defaultdict(set)
    for page in pages():
        file = SITE / f"{page}.html"
        for link in re.findall(r'href="([^"]*#[^"]+)"', file.read_text(encoding="utf-8")):
            target, anchor = urldefrag(urljoin(file.as_uri(), link))
            found[target].add(unquote(anchor))
    return found


@dataclass
class Printed:
    """A page of the book as a PDF without page numbers, and its headings."""

    pdf: PdfReader
    headings: list[dict]

    def find(self, anchor: str) -> tuple[int, float | None]:
        """Return on which of its pages an anchor is, and how high; the first if it is unknown."""
        destination = self.pdf.named_destinations.get(f"/{anchor}")
        if destination is None:
            return 0, None
        return self.pdf.get_destination_page_number(destination), destination.top


def print_page(tab: Page, address: str, anchors: set[str]) -> Printed:
    """Print the page at the address."""
    tab.goto(address)
    headings = tab.evaluate(HEADINGS)
    tab.evaluate(LINK_TO_ANCHORS, sorted(anchors | {heading["id"] for heading in headings}))
    tab.emulate_media(media="print", color_scheme="light")
    tab.evaluate(LOADED)
    pdf = tab.pdf(format="A4", scale=SCALE, margin=MARGIN, print_background=True)
    return Printed(PdfReader(io.BytesIO(pdf)), headings)


def numbers_and_heads(browser: Browser, heads: list[str]) -> PdfReader:
    """Return for each page of the book one with nothing on it but its number and running head."""
    tab = browser.new_page()
    tab.set_content("".join(HEAD.format(html.escape(head) or "&nbsp;") for head in heads))
    printed = tab.pdf(
        format="A4",
        margin=HEAD_MARGIN,
        display_header_footer=True,
        header_template="<p></p>",
        footer_template=NUMBER,
        page_ranges=f"1-{len(heads)}",
    )
    return PdfReader(io.BytesIO(printed))


def front(tab: Page, parts: dict[str, Printed]) -> Printed:
    """Print the title page and the contents, with the number of the page of each section."""

    def printed(before: int) -> PdfReader:
        lines, start = [], before + 1
        for address, part in parts.items():
            for heading in part.headings:
                if heading["level"] < 3 and len(heading["text"]) > 1:  # no letters
                    place = {
                        "address": f"{address}#{heading['id']}",
                        "number": start + part.find(heading["id"])[0],
                        "text": html.escape(heading["text"]),
                    }
                    lines.append(LINE.format(level=heading["level"], **place))
            start += len(part.pdf.pages)
        day = f"Printed on {date.today().isoformat()}"
        tab.set_content(FRONT.format(title=TITLE, printed=day, lines="".join(lines)))
        return PdfReader(io.BytesIO(tab.pdf(format="A4", margin=MARGIN)))

    length = len(printed(0).pages)  # the numbers do not change it
    return Printed(printed(length), [])


def site_address() -> str:
    """Return where the book is published, as in `published.py`, or nothing."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return (os.environ.get("BOOK_ADDRESS") or config["html"]["baseurl"]).rstrip("/")


def join(parts: dict[str, Printed]) -> PdfWriter:
    """Join the printed pages in order, with an outline and with links that stay inside the PDF."""
    book, starts = PdfWriter(), {}
    for address, part in parts.items():
        starts[address] = len(book.pages)
        book.append(part.pdf)
    for address, part in parts.items():
        above = {}
        for heading in part.headings:
            page, top = part.find(heading["id"])
            above[heading["level"]] = book.add_outline_item(
                title=heading["text"],
                page_number=starts[address] + page,
                parent=above.get(heading["level"] - 1),
                fit=Fit.xyz(top=top),
            )
        for page in book.pages[starts[address] : starts[address] + len(part.pdf.pages)]:
            for link in page.annotations or ():
                turn_inwards(link.get_object(), address, book, parts, starts)
            leave_no_link_to_this_disk(page, site_address())
    return book


def leave_no_link_to_this_disk(page: PageObject, site: str) -> None:
    """Let links to the site's files lead to the published site, or nowhere."""
    kept = ArrayObject()
    for each in page.annotations or ():
        action = each.get_object().get("/A", {})
        if str(action.get("/URI", "")).startswith("file:"):
            if not site:
                continue
            path = action["/URI"].removeprefix(SITE.as_uri())
            action[NameObject("/URI")] = TextStringObject(site + path)
        kept.append(each)
    page.annotations = kept


def turn_inwards(link, address: str, book: PdfWriter, parts, starts) -> None:
    """Let a link of the page at the address lead to its place in the PDF, if it is in the book."""
    action = link.get("/A", {})
    target, anchor = urldefrag(action.get("/URI", f"{address}#{link.get('/Dest', '')}"))
    if target in parts:
        page, top = parts[target].find(unquote(anchor).removeprefix("/"))
        place = book.pages[starts[target] + page]
        link.pop("/A", None)
        link[NameObject("/Dest")] = ArrayObject(
            [
                place.indirect_reference,
                NameObject("/XYZ"),
                FloatObject(0),
                FloatObject(place.mediabox.top if top is None else top),
                FloatObject(0),
            ]
        )


def make(target: Path, names: list[str]) -> int:
    """Write these pages of the book into one PDF, and return how many sheets it has."""
    anchors = anchors_between_pages()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        tab = browser.new_page()
        parts: dict[str, Printed] = {}
        for page in names:
            address = (SITE / f"{page}.html").as_uri()
            parts[address] = print_page(tab, address, anchors[address])
            print(f"{page}: {len(parts[address].pdf.pages)} pages", flush=True)
        parts = {"contents": front(browser.new_page(), parts), **parts}
        book = join(parts)
        heads = [
            part.headings[0]["text"] if part.headings and i else ""  # not where a chapter begins
            for part in parts.values()
            for i in range(len(part.pdf.pages))
        ]
        overlays = numbers_and_heads(browser, heads)
        browser.close()
    for page, overlay in zip(book.pages, overlays.pages, strict=True):
        page.merge_page(overlay)
        page.compress_content_streams()
    book.add_metadata({"/Title": TITLE})
    book.compress_identical_objects()
    book.write(target)
    return len(book.pages)


def main() -> int:
    """Print the built book."""
    if lacking := missing():
        print(f"The book is not built ({lacking[0]} is missing): run `make book` first.")
        return 1
    book = SITE / BOOK.name if site_address() else BOOK  # a published book's pages lead to it
    count = make(book, [page for page in pages() if not page.startswith(LEFT_OUT)])
    print(f"{book}: {count} pages, {book.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
