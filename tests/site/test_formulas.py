"""Formulas: all that they draw is in the font that was cut for them, and browsers draw it."""

import base64
import html
import re

import pytest
from fontTools.ttLib import TTFont

from _ext.assets.fonts import cut
from _ext.pages.formulas import FONT, FORMULA, TAG, TEMML
from _ext.site.contents import pages

ROOT = 0x221A
IN_THIS_FONT = """([formulas, font]) => {
  const name = `Tried${document.fonts.size}`;
  document.head.insertAdjacentHTML("beforeend", `<style>
    @font-face { font-family: ${name}; src: url("data:font/woff2;base64,${font}"); }
    main { display: flex; flex-wrap: wrap; gap: 1em 2em; padding: 1em; }
    main math { display: math; width: auto; font-family: ${name}; }
  </style>`);
  document.body.innerHTML = `<main class="bd-article">${formulas}</main>`;
  return document.fonts.load(`16px ${name}`).then((faces) => faces.length);
}"""


@pytest.fixture(scope="module")
def formulas(site) -> list[str]:
    """Every formula of the book, once."""
    texts = [(site / f"{page}.html").read_text(encoding="utf-8") for page in pages()]
    found = list(dict.fromkeys(each for text in texts for each in FORMULA.findall(text)))
    assert len(found) > 200
    return found


@pytest.fixture(scope="module")
def font(site):
    """The file of the font that pages load."""
    (file,) = (site / "_static/vendor/temml").glob("*.woff2")
    return file


def grown(font: TTFont) -> dict[str, dict[int, tuple[int, int]]]:
    """How many larger signs a font has for a character, and of how many parts it can be built."""
    variants, names = font["MATH"].table.MathVariants, font.getBestCmap()
    found = {}
    for direction, coverage, constructions in (
        ("high", variants.VertGlyphCoverage, variants.VertGlyphConstruction),
        ("wide", variants.HorizGlyphCoverage, variants.HorizGlyphConstruction),
    ):
        sizes = {
            name: (
                each.VariantCount,
                len(each.GlyphAssembly.PartRecords) if each.GlyphAssembly else 0,
            )
            for name, each in zip(coverage.glyphs, constructions, strict=True)
        }
        found[direction] = {code: sizes[name] for code, name in names.items() if name in sizes}
    return found


def test_the_font_has_all_that_formulas_show_and_lets_it_grow(formulas, font):
    mine, whole = TTFont(font), TTFont(TEMML / FONT)
    text = "".join(html.unescape(TAG.sub("", formula)) for formula in formulas)
    shown = {ord(sign) for sign in text if not sign.isspace()}
    italic = {0x1D467, 0x1D70B}  # z and pi
    root = {ROOT} if re.search("<m(?:sqrt|root)", "".join(formulas)) else set()
    assert len(shown) > 60
    assert root
    assert (shown | italic | root) & set(whole.getBestCmap()) <= set(mine.getBestCmap())
    here, there = grown(mine), grown(whole)
    for direction, some in (("high", ROOT), ("wide", ord("⏟"))):
        wanted = {code: n for code, n in there[direction].items() if code in mine.getBestCmap()}
        assert some in wanted
        assert here[direction] == wanted


def test_formulas_look_as_they_do_in_the_whole_font(opened, address, formulas, font, tmp_path):
    tab = opened(f"{address}/chapters/01_simple_attention.html").page

    def picture(file, some=formulas):
        code = base64.b64encode(file.read_bytes()).decode()
        assert tab.evaluate(IN_THIS_FONT, ["".join(some), code]) == 1
        return tab.screenshot(full_page=True)

    assert picture(font) == picture(TEMML / FONT)
    signs = set(TTFont(font).getBestCmap())
    for name, mark in (("√", "<msqrt>"), ("⏟", "⏟"), ("𝜋", "<mi>π</mi>")):
        having = [formula for formula in formulas if mark in formula]
        without = cut(TEMML / FONT, tmp_path, signs - {ord(name)}, layout_features=["*"])
        assert picture(without, having) != picture(font, having), name
