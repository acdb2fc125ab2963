"""What search engines and previews of links read: descriptions, cards, entrance and sitemap."""

from __future__ import annotations

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from _ext.site.contents import pages

CARD = "_static/card.png"
CARD_SAYS = "The Transformer from scratch: attention of a real BERT, drawn as lines between words."
DESCRIPTION_LENGTH = (60, 200)  # characters; what search engines and previews show


def describe(doctree: nodes.document) -> str:
    """Return the first sentences of the page, of a length that search engines show whole."""
    least, most = DESCRIPTION_LENGTH
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, nodes.section | nodes.block_quote):
            text = " ".join(f"{text} {paragraph.astext()}".split())
            if len(text) >= least:
                break
    if len(text) <= most:
        return text
    sentences = re.match(rf".{{{least},{most - 1}}}[.?!](?= )", text)
    return sentences[0] if sentences else f"{text[: most - 2].rsplit(' ', 1)[0]} …"


def tags(title: str, description: str, address: str, page: str) -> str:
    """Return the tags of a page's head that search engines and previews of links read."""
    found = [("name", "description", description)]
    if address:
        found += [
            ("property", "og:type", "website"),
            ("property", "og:title", title),
            ("property", "og:description", description),
            ("property", "og:url", f"{address}{page}.html"),
            ("property", "og:image", address + CARD),
            ("property", "og:image:alt", CARD_SAYS),
            ("name", "twitter:card", "summary_large_image"),
        ]
    return "".join(
        f'<meta {kind}="{name}" content="{html.escape(content)}" />\n'
        for kind, name, content in found
    )


def describe_page(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Describe the page in its head."""
    if doctree is not None:
        title = html.unescape(re.sub("<[^>]*>", "", context["title"]))
        context["metatags"] += tags(title, describe(doctree), app.config.html_baseurl, pagename)


def write_entrance(app: Sphinx, failure: Exception | None) -> None:
    """Write `index.html`, which leads to the first page; its title is the book's, said once.

    With an address, also the sitemap, and what a server shows where there is no page.
    """
    if failure is not None or app.builder.format != "html":
        return
    folder, address = Path(app.outdir), app.config.html_baseurl
    root, name = app.config.root_doc, html.escape(app.config.project)
    canonical = f'<link rel="canonical" href="{address}{root}.html" />\n' if address else ""
    description = describe(app.env.get_doctree(root))
    (folder / "index.html").write_text(
        f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8" />\n<title>{name}</title>\n'
        f'<meta http-equiv="Refresh" content="0; url={root}.html" />\n{canonical}'
        f"{tags(app.config.project, description, address, root)}"
        f'<a href="{root}.html">{name}</a>\n</html>\n',
        encoding="utf-8",
    )
    first = folder / f"{root}.html"
    page = first.read_text(encoding="utf-8")
    page = page.replace(f"<title>{name} &#8212; {name}", f"<title>{name}", 1)
    first.write_text(page, encoding="utf-8")
    if address:
        toc = Path(app.srcdir) / "_toc.yml"
        places = "".join(f"<url><loc>{address}{page}.html</loc></url>\n" for page in pages(toc))
        (folder / "sitemap.xml").write_text(
            '<?xml version="1.0" encoding="utf-8"?>\n'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n',
            encoding="utf-8",
        )
        robots = f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n"
        (folder / "robots.txt").write_text(robots, encoding="utf-8")
        (folder / "404.html").write_text(
            f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>No such page · {name}</title>
<style>
body {{ font: 1.1rem/1.6 sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }}
</style>
<h1>There is no such page</h1>
<p>It may have moved. <a href="{address}{root}.html">The first page</a> lists all chapters, and the
<a href="{address}search.html">search</a> finds a section by a word.</p>
</html>
""",
            encoding="utf-8",
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", describe_page, priority=900)
    app.connect("build-finished", write_entrance, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
