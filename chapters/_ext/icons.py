"""Icons: of the theme's font with thousands of them, the book keeps those that it shows.

The font and its style sheet would be most of what a reader's browser loads for the first page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pydata_sphinx_theme
from fonts import cut
from sphinx.application import Sphinx

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
STYLE = Path("styles", "pydata-sphinx-theme.css")
FONTS = Path("vendor", "fontawesome", "webfonts")
SOURCES = re.compile(r"src:url\([^)]*fa-solid-900\.woff2\)[^}]*(?=\})")
RULE = re.compile(r'(?P<names>(?:\.fa-[a-z0-9-]+:before,?)+)\{content:"(?P<sign>[^"]*)"\}')
NAME = re.compile(r"\bfa-[a-z0-9-]+")
SIGN = re.compile("\\\\([ef][0-9a-f]{3})|([\ue000-\uf8ff])")  # as an escape or as itself


def keep_what_is_shown(app: Sphinx, exception: Exception | None) -> None:
    """Write the style sheet and the font anew, with the icons that some page or script names."""
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    files = [*Path(app.outdir).rglob("*.html"), *static.glob("*.js"), *static.glob("scripts/*.js")]
    shown = {name for file in files for name in NAME.findall(file.read_text(encoding="utf-8"))}

    def keep(rule: re.Match) -> str:
        return rule[0] if shown.intersection(NAME.findall(rule["names"])) else ""

    style = RULE.sub(keep, (THEME / STYLE).read_text(encoding="utf-8"))
    others = (file for file in static.rglob("*.css") if file != static / STYLE)
    sheets = [style, *(file.read_text(encoding="utf-8") for file in others)]
    signs = {
        int(code, 16) if code else ord(sign) for css in sheets for code, sign in SIGN.findall(css)
    }
    target = cut(THEME / FONTS / "fa-solid-900.ttf", static / FONTS, signs, layout_features=[])
    source = f'src:url(../vendor/fontawesome/webfonts/{target.name}) format("woff2")'
    (static / STYLE).write_text(SOURCES.sub(source, style), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, after the pages are final."""
    app.connect("build-finished", keep_what_is_shown, priority=990)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
