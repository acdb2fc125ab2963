"""What a book with an address has more: buttons to run a page, a sitemap, cards for what is shared.

Two addresses can be known: the repository's (`repository.url` in `_config.yml`, or the variable
BOOK_REPOSITORY) and the site's (`html.baseurl`, or BOOK_ADDRESS). The publishing workflow sets the
variables, so a fork's book leads to the fork. Without them none of this is in the book, and it asks
nothing of anybody.

Binder builds the repository as it is. Colab has only the one notebook that it opens; therefore the
copy of a chapter that can be downloaded begins with a cell that installs the course, and the
workflow puts these copies on the branch NOTEBOOKS, where Colab finds them.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from pages import pages
from sphinx.application import Sphinx
from sphinx.config import Config

NOTEBOOKS = "notebooks"
CARD = "_static/card.png"
CARD_SAYS = "The Transformer from scratch: attention of a real BERT, drawn as lines between words."
DESCRIPTION_LENGTH = (60, 200)  # characters; what search engines and previews show

INSTALL = '''\
# Run this cell first: it installs the course where it is missing, as on Colab.
from importlib.util import find_spec

if not (find_spec("figures") and find_spec("solutions")):
    %pip install --quiet "transformer-course @ {archive}"'''
BELONGS = (
    "*This notebook imports modules of the course. Put it into the folder `chapters` of the course "
    "and start Jupyter there.*"
)


def note_addresses(app: Sphinx, config: Config) -> None:
    """Take the addresses from the environment; without a repository there is nothing to launch."""
    theme = config.html_theme_options
    repository = os.environ.get("BOOK_REPOSITORY") or theme.get("repository_url") or ""
    theme["repository_url"] = repository.rstrip("/")
    footer = ""
    if repository:
        issue = html.escape(f"{theme['repository_url']}/issues/new")
        footer = f'Errors? <a href="{issue}">Tell us</a>.'
    else:
        theme.pop("launch_buttons", None)
    address = os.environ.get("BOOK_ADDRESS") or config.html_baseurl
    config.html_baseurl = f"{address.rstrip('/')}/" if address else ""
    if address:  # `make pdf` writes it there
        pdf = html.escape(f"{config.html_baseurl}transformer.pdf")
        footer += f' The whole book <a href="{pdf}">as a PDF</a>.'
    theme["extra_footer"] = f"<p>{footer}</p>" if footer else ""


@cache
def changed(folder: Path) -> dict[str, str]:
    """Return for each file of a Git repository, by its path, the day of its last commit."""
    command = ["git", "log", "--format=%x00%cs", "--name-only", "--relative", "--", "."]
    try:
        log = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # no Git, or an archive
        return {}
    days: dict[str, str] = {}
    for commit in log.stdout.split("\0")[1:]:
        day, *files = commit.split("\n")
        for file in filter(None, files):
            days.setdefault(file, day)
    return days


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


def finish_head_and_buttons(app: Sphinx, pagename: str, templatename: str, context: dict, doctree):
    """Describe the page in its head, and lead Colab to the branch with the copies."""
    if doctree is not None:
        title = html.unescape(re.sub("<[^>]*>", "", context["title"]))
        context["metatags"] += tags(title, describe(doctree), app.config.html_baseurl, pagename)
        file = Path(app.env.doc2path(pagename)).relative_to(app.srcdir)
        context["last_updated"] = changed(Path(app.srcdir)).get(file.as_posix())
    branch = app.config.html_theme_options.get("repository_branch")
    for group in context.get("header_buttons", ()):
        for button in group.get("buttons", ()):
            if button["text"] == "Colab":
                button["url"] = button["url"].replace(f"/blob/{branch}/", f"/blob/{NOTEBOOKS}/")


def first_cell(theme: dict) -> nbformat.NotebookNode:
    """Return the cell with which the copy of a chapter begins."""
    repository = theme["repository_url"]
    if not repository:
        return nbformat.v4.new_markdown_cell(BELONGS, id="first")
    revision = os.environ.get("BOOK_REVISION") or theme["repository_branch"]
    archive = f"{repository}/archive/{revision}.zip"
    return nbformat.v4.new_code_cell(INSTALL.format(archive=archive), id="first")


def write_copies(app: Sphinx, failure: Exception | None) -> None:
    """Write the notebooks that can be downloaded, each with the cell in front, and the sitemap."""
    if failure is not None or app.builder.format != "html":
        return
    for page in app.env.found_docs:
        if app.env.doc2path(page).endswith(".ipynb"):
            notebook = json.loads(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
            notebook["cells"].insert(0, first_cell(app.config.html_theme_options))
            copy = Path(app.outdir, "_sources", f"{page}.ipynb")
            copy.write_text(json.dumps(notebook, indent=1, ensure_ascii=False), encoding="utf-8")
    write_entrance(app)


def write_entrance(app: Sphinx) -> None:
    """Write `index.html`, which leads to the first page; its title is the book's, said once.

    With an address, also the sitemap, and what a server shows where there is no page.
    """
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
    """Register with Sphinx, after the theme that makes the buttons."""
    app.connect("config-inited", note_addresses)
    app.connect("html-page-context", finish_head_and_buttons, priority=900)
    app.connect("build-finished", write_copies, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
