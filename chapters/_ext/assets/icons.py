"""Icons: of the theme's fonts with thousands of them, the book keeps those that it shows.

The one for most would be most of what a reader's browser loads for the first page.
"""

from __future__ import annotations

import re
from pathlib import Path

import pydata_sphinx_theme
from sphinx.application import Sphinx

from _ext.assets.fonts import cut
from _ext.assets.styles import JOINED

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
FONTS = Path("vendor", "fontawesome", "webfonts")
FACES = ("fa-solid-900", "fa-regular-400", "fa-brands-400")
SIGN = re.compile("\\\\([ef][0-9a-f]{3})|([\ue000-\uf8ff])")  # as an escape or as itself


def keep_what_is_shown(app: Sphinx, exception: Exception | None) -> None:
    """Write the fonts anew, with the icons that the style sheet of all pages still names."""
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    style = (static / JOINED).read_text(encoding="utf-8")
    signs = {int(code, 16) if code else ord(sign) for code, sign in SIGN.findall(style)}
    for face in FACES:
        target = cut(THEME / FONTS / f"{face}.ttf", static / FONTS, signs, layout_features=[])
        source = f'src:url("../vendor/fontawesome/webfonts/{target.name}") format("woff2")'
        sources = rf"src:url\([^)]*{face}[^)]*\.woff2\"?\)[^;}}]*"
        style = re.sub(sources, source, style)
    (static / JOINED).write_text(style, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, after the style sheet is written."""
    app.connect("build-finished", keep_what_is_shown, priority=990)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
