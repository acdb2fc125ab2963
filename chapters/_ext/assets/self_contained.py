"""Pages that need no network: BertViz, Jupyter Book and the theme as they come ask other hosts.

A BertViz output is made for a live notebook. It loads require.js, D3 and jQuery from elsewhere,
carries its data with 17 digits (the head and model views twice), and labels none of its menus. The
notebooks keep these outputs, so they also work in Jupyter; here each page is rewritten as the book
is built. `bertviz-offline.js` stands in for require.js.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

BERTVIZ_NEEDS = ("vendor/jquery/jquery.min.js", "vendor/d3/d3.min.js")
BERTVIZ_DIGITS = 3  # behind the point: a weight of 0.001 is invisible on the screen
VECTORS, VECTOR_DIGITS = ("queries", "keys"), 2  # each of their numbers is a shade of colour

# sphinx-thebe would run code on a server that this book does not use
THEBE_SETTINGS = re.compile(r'<script type="text/x-thebe-config">.*?</script>', re.DOTALL)
REMOTE_SCRIPT = re.compile(r'<script src="https?://[^"]*/require[^"]*"></script>')
REMOTE_PATHS = re.compile(r"require\.config\(\{.*?\}\s*\);", re.DOTALL)
SECOND_COPY = re.compile(r"// HACK: \{.*")  # the template marker stands in this comment as well
DATA = re.compile(r"(?P<name>const params|window\.bertviz_params) = (?P<data>\{.*\})")
UNUSED_SCRIPT = re.compile(
    r'<script[^>]*src="[^"]*/(?:fontawesome|searchtools|language_data)\.js[^"]*"></script>\s*'
    r'|<script[^>]*src="[^"]*searchindex\.js[^"]*"></script>\s*'
    # a page shows its words before it has loaded what scripts it
    r'|<link rel="preload" as="script"[^>]*>\s*'
)
# What is not needed while the page is read runs when it has been.
WAITING_SCRIPT = re.compile(r'<script (?![^>]*\bdefer\b)(?=[^>]*\bsrc="[^"]*_static/)')
# Scripts inside the page need these two, which are smaller than a request.
INLINE_SCRIPT = re.compile(
    r'<script src="[^"]*_static/((?:documentation_options|bertviz-offline)\.js)[^"]*"></script>'
)

# Sphinx, docutils and the theme each say how wide a phone should think it is.
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
# What comes with Sphinx and the theme, and no page of this book asks for.
UNUSED_FILES = (
    "scripts/fontawesome.js*",
    "searchtools.js",
    "language_data.js",
    "**/*.map",
    "*macros.html",
    "locales",
    "sphinx-thebe.*",
)

BERTVIZ_VIEW = re.compile(r"<div id=\"?bertviz-")
LABELS = {"layer": "Layer", "att_head": "Head", "filter": "Which sentences attend to which"}


def rewrite_bertviz(html: str) -> str:
    """Return the page with BertViz outputs that are small, labelled and ask no other host."""
    html = REMOTE_SCRIPT.sub("", html)
    html = REMOTE_PATHS.sub("", html)
    html = SECOND_COPY.sub("", html)
    html = DATA.sub(lambda match: f"{match['name']} = {_shorten(match['data'])}", html)
    for identifier, label in LABELS.items():
        html = html.replace(
            f'<select id="{identifier}">', f'<select id="{identifier}" aria-label="{label}">'
        )
    return html


def _shorten(data: str) -> str:
    view = _rounded(data, BERTVIZ_DIGITS)
    parts = view["attention"]  # by name in a neuron view, in order in a head view
    for part in parts.values() if isinstance(parts, dict) else parts:
        for name in VECTORS:
            if name in part:
                part[name] = _rounded(json.dumps(part[name]), VECTOR_DIGITS)
    return json.dumps(view, separators=(",", ":"))


def _rounded(data: str, digits: int) -> Any:
    return json.loads(data, parse_float=lambda number: round(float(number), digits))


def rewrite_page(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give a page with BertViz views its scripts; take scripts of other hosts from every page."""
    scripts = context["script_files"]
    body = THEBE_SETTINGS.sub("", context.get("body") or "")
    scripts[:] = [each for each in scripts if not _names_thebe(each)]  # app.add_js_file's list
    if BERTVIZ_VIEW.search(body):
        body = rewrite_bertviz(body)
        app.add_js_file(
            "bertviz-offline.js"
        )  # at once: the views below call it while they are read
        for script in BERTVIZ_NEEDS:
            app.add_js_file(script, loading_method="defer")
    context["body"] = body


def _names_thebe(script) -> bool:
    return "thebe" in f"{script.filename} {script.attributes.get('body', '')}".lower()


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Let scripts wait, and remove those of the theme and of Sphinx that this book does without.

    One draws, with 1.5 MB, the icons that come from a font too.
    """
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")

    @functools.cache
    def inline(name: str) -> str:
        return (static / name).read_text(encoding="utf-8").strip()

    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        lighter = UNUSED_SCRIPT.sub("", html)
        lighter = INLINE_SCRIPT.sub(lambda script: f"<script>{inline(script[1])}</script>", lighter)
        lighter = WAITING_SCRIPT.sub("<script defer ", lighter)
        first = VIEWPORT.search(lighter)
        if first is not None:
            lighter = lighter[: first.end()] + VIEWPORT.sub("", lighter[first.end() :])
        if lighter != html:
            page.write_text(lighter, encoding="utf-8")
    for pattern in UNUSED_FILES:
        for unused in list(static.glob(pattern)):
            shutil.rmtree(unused) if unused.is_dir() else unused.unlink()


def setup(app: Sphinx) -> dict:
    """Register with Sphinx, after the extensions whose scripts are taken out."""
    app.connect("html-page-context", rewrite_page, priority=900)
    app.connect("build-finished", lighten, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
