"""The whole book as one tagged PDF: its built pages stand in one document, which Chromium prints.

Links between pages of the book become links inside the PDF; a link to a file beside the pages leads
to the published site, if its address is known, and is text otherwise. What the grader knows stays
out: it is for looking things up. `make pdf` runs this; it asks no other host.
"""

from __future__ import annotations

import argparse
import html
import io
import json
import os
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pikepdf
import yaml
from playwright.sync_api import Browser, Page, sync_playwright

from _ext.site.chromium import ARGUMENTS, program
from _ext.site.contents import ROOT, SITE, missing, pages

BOOK = SITE.parent / "transformer.pdf"
TITLE = "The Transformer from scratch"
LEFT_OUT = "chapters/appendix_matrix"
SCALE = 0.72  # of the size on a screen
KINDS = {1: "chapter", 2: "section"}
STYLE = """
@page { size: A4; margin: 22mm 18mm 22mm; @bottom-center { content: counter(page) } }
@page { @bottom-center { font: 12px sans-serif } @top-right { font: 12px sans-serif } }
@page front { @top-right { content: none } @bottom-center { content: none } }
:is(:has(> .bd-article), :has(> * > .bd-article), :has(> * > * > .bd-article)) {
  display: block !important
}
* { box-shadow: none !important; animation: none !important } /* a shadow would be a picture */
.bd-article { break-before: page; padding: 0; min-height: 0 }
.bd-article :is(.cell_input, .cell_output) * { break-inside: auto !important; overflow: visible }
.bd-article :is(.cell_input, .cell_input div) { display: block !important } /* long code flows */
.bd-article a::after { content: none !important }
html { page: front }
#front { break-before: auto }
#contents { page: contents }
#front h1 { margin: 85mm 0 0; font-size: 42pt; line-height: 1.2 }
#contents li { display: flex; break-inside: avoid; list-style: none; margin: 0 }
#contents ul { padding: 0 }
#contents .chapter { margin-top: 0.7em; font-weight: bold; break-after: avoid }
#contents .section { margin-left: 1.5em }
#contents a { color: inherit; text-decoration: none; max-width: 88% }
#contents i { flex: 1; margin: 0 0.4em; border-bottom: 1px dotted; height: 1em }
#contents b { font-weight: inherit; min-width: 2.2em; text-align: right }
"""
# A page as it is drawn, to stand in a document with others: its anchors bear its own name.
ARTICLE = """async ({own, places, site}) => {
  await document.fonts.ready;
  document.querySelectorAll("details").forEach(box => { box.open = true; });
  const article = document.querySelector(".bd-article");
  article.querySelectorAll(".toggle-hidden").forEach(box => box.classList.remove("toggle-hidden"));
  const here = address => address.split("#")[0];
  for (const link of article.querySelectorAll("a[href]")) {
    const place = places[here(link.href)];
    if (place) link.setAttribute("href", "#" + place + decodeURIComponent(link.hash).slice(1));
    else if (link.protocol !== "file:") link.href = link.href;
    else if (site) link.href = site.address + link.href.slice(site.folder.length);
    else link.removeAttribute("href");
  }
  for (const image of article.querySelectorAll("img")) image.src = image.src;
  article.querySelectorAll("script, noscript, .headerlink").forEach(each => each.remove());
  for (const element of article.querySelectorAll("*")) {
    for (const name of ["id", "for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
      const names = element.getAttribute(name);
      if (names) element.setAttribute(name, names.split(" ").map(each => own + each).join(" "));
    }
    for (const {name, value} of [...element.attributes]) {
      if (/url\\(["']?#/.test(value)) {
        element.setAttribute(name, value.replace(/(url\\(["']?#)/g, "$1" + own));
      }
      if (element.localName === "use" && /href$/.test(name)) {
        element.setAttribute(name, value.replace(/^#/, "#" + own));
      }
    }
  }
  const headings = [...article.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(heading => ({
    level: Number(heading.localName[1]), text: heading.innerText.trim().replace(/\\s+/g, " "),
    id: heading.closest("section").id,
  }));
  article.id = own;
  return {html: article.outerHTML, headings};
}"""
JOIN = """({style, articles}) => {
  document.head.append(Object.assign(document.createElement("style"), {textContent: style}));
  const first = document.querySelector(".bd-article");
  const parts = articles.map(html => document.createRange().createContextualFragment(html));
  first.replaceWith(...parts);
}"""


def site_address() -> str:
    """Return where the book is published, as in `addresses.py`, or nothing."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return (os.environ.get("BOOK_ADDRESS") or config["html"]["baseurl"]).rstrip("/")


def contents(headings: list[dict], numbers: dict[str, int]) -> str:
    """Return the title page and the contents, with the number of the page of each section."""
    lines = "".join(
        f'<li class="{KINDS[each["level"]]}"><a href="#{each["id"]}">'
        f"{html.escape(each['text'])}</a><i></i><b>{numbers.get(each['id'], '')}</b></li>"
        for each in headings
        if each["level"] in KINDS and len(each["text"]) > 1  # no letters of the glossary
    )
    return (
        f'<article class="bd-article" id="front"><h1>{TITLE}</h1>'
        f"<p>Printed on {date.today().isoformat()}</p></article>"
        f'<article class="bd-article" id="contents"><h1>Contents</h1><ul>{lines}</ul></article>'
    )


def running_heads(starts: dict[str, str]) -> str:
    """Return the style that prints above each page in which chapter it is."""
    return "".join(
        f".bd-article.{name} {{ page: {name} }} "
        f"@page {name} {{ @top-right {{ content: {json.dumps(title, ensure_ascii=False)} }} }}\n"
        for name, title in starts.items()
    )


def numbers_of(pdf: bytes) -> dict[str, int]:
    """Return for each anchor that a link leads to the number of its page, from 1."""
    with pikepdf.open(io.BytesIO(pdf)) as book:
        return {
            name.removeprefix("/"): pikepdf.Page(place[0]).index + 1
            for name, place in book.Root.Dests.items()
        }


def flat(items: list[pikepdf.OutlineItem]) -> Iterator[pikepdf.OutlineItem]:
    """Yield the items of an outline in the order in which they are read."""
    for item in items:
        yield item
        yield from flat(item.children)


def pack(pdf: bytes, titles: list[str], target: Path) -> int:
    """Write a printed book small, with these titles in its outline; return how many sheets it has.

    Chromium writes a heading that it has moved to the next sheet twice, and loses the space where
    one goes on in a second line.
    """
    with pikepdf.open(io.BytesIO(pdf)) as book:
        with book.open_outline() as outline:
            for item, title in zip(flat(outline.root), titles, strict=True):
                item.title = title
        book.save(target, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        return len(book.pages)


def taken(tab: Page, names: list[str]) -> list[dict]:
    """Return the HTML of each page, and its headings."""
    addresses = {name: (SITE / f"{name}.html").as_uri() for name in names}
    known = {address: f"p{number}-" for number, address in enumerate(addresses.values())}
    site = {"address": site_address(), "folder": SITE.as_uri()} if site_address() else None
    found = []
    for name, address in addresses.items():
        tab.goto(address)
        tab.emulate_media(media="print", color_scheme="light")
        own = known[address]
        found.append(tab.evaluate(ARTICLE, {"own": own, "places": known, "site": site}))
        print(name, flush=True)
    return found


def printed(browser: Browser, style: str, articles: list[str]) -> bytes:
    """Print one document of these articles; the first page of the book lends it its styles."""
    tab = browser.new_page()
    tab.goto((SITE / f"{pages()[0]}.html").as_uri())
    tab.emulate_media(media="print", color_scheme="light")
    tab.evaluate(JOIN, {"style": style, "articles": articles})
    tab.evaluate("title => { document.title = title; }", TITLE)
    tab.evaluate("document.fonts.ready")
    pdf = tab.pdf(
        scale=SCALE, print_background=True, prefer_css_page_size=True, tagged=True, outline=True
    )
    tab.close()
    return pdf


def make(target: Path, names: list[str]) -> int:
    """Write these pages of the book into one PDF, and return how many sheets it has."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        parts = taken(browser.new_page(), names)
        headings = [heading for part in parts for heading in part["headings"]]
        starts, articles = {}, []
        for number, part in enumerate(parts):
            starts[f"c{number}"] = part["headings"][0]["text"]
            articles.append(part["html"].replace('class="', f'class="c{number} ', 1))
        style = STYLE + running_heads(starts)
        numbers = numbers_of(printed(browser, style, [contents(headings, {}), *articles]))
        pdf = printed(browser, style, [contents(headings, numbers), *articles])
        browser.close()
    return pack(pdf, [TITLE, "Contents", *(heading["text"] for heading in headings)], target)


def main() -> int:
    """Print the built book."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.parse_args()
    try:
        program()
    except FileNotFoundError as error:
        parser.error(str(error))
    if lacking := missing():
        print(f"The book is not built ({lacking[0]} is missing): run `make book` first.")
        return 1
    book = SITE / BOOK.name if site_address() else BOOK  # a published book's pages lead to it
    count = make(book, [page for page in pages() if not page.startswith(LEFT_OUT)])
    print(f"{book}: {count} pages, {book.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
