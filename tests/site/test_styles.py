"""The one style sheet of all pages: no rule is missing that a page needs; few others are there."""

import gzip
import io
import re

import pytest
import tinycss2
from fontTools.ttLib import TTFont
from PIL import Image

from _ext.assets import icons, styles
from _ext.pages import formulas

# Every rule of a style sheet that matches an element of the page, in whatever state it may be.
RULES = """([sheets, matching]) => {
  const state =
    /::[\\w-]+(\\([^)]*\\))?|:(hover|active|visited|focus[\\w-]*|checked|disabled|target)\\b/g;
  const matches = (selector) => {
    const still = selector.replace(state, "").replace(/(^|[\\s>+~(,])(?=$|[\\s>+~),])/g, "$1*");
    try { return document.querySelector(still) !== null; } catch { return true; }
  };
  const found = new Set();
  const read = (rules, where) => {
    for (const rule of rules) {
      if (rule.selectorText === undefined) {
        if (rule.cssRules && !(rule instanceof CSSKeyframesRule)) {
          read(rule.cssRules, `${where} ${rule.cssText.split("{")[0]}`);
        }
        continue;
      }
      for (const selector of rule.selectorText.split(/,(?![^()]*\\))(?![^[\\]]*\\])/)) {
        if (!matching || matches(selector.trim())) {
          const text = rule.style.cssText.replace(/url\\("(?!data:)[^"]*"\\)/g, "url");
          found.add(`${where} ${selector.trim()} { ${text} }`);
        }
      }
    }
  };
  for (const text of sheets) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    read(sheet.cssRules, "");
  }
  return [...found];
}"""


def kept(sheet: str, *words: str) -> str:
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    return "\n".join(styles.needed(rules, set(words)))


@pytest.mark.parametrize(
    ("sheet", "left"),
    [
        ("p { color: red }", "p{color: red}"),
        (".one { color: red } .two { color: blue }", ".one{color: red}"),
        ("#one, #two p { margin: 0 }", "#one{margin: 0}"),
        (".one.two, .one > .two, .one ~ p { margin: 0 }", ".one ~ p{margin: 0}"),
        ("p:not(.two), .one:is(.two, #two) { margin: 0 }",
         "p:not(.two),.one:is(.two, #two){margin: 0}"),
        ("p:not(.two:is(.two)) .one { margin: 0 }", "p:not(.two:is(.two)) .one{margin: 0}"),
        ('[class*=".two"], a[href$=".two, b"] { margin: 0 }',
         '[class*=".two"],a[href$=".two, b"]{margin: 0}'),
        ("@media print { .two { margin: 0 } @media (width) { .one { margin: 0 } } }",
         "@media print {@media (width) {.one{margin: 0}}}"),
        ("@media print { .two { margin: 0 } }", ""),
        ("@keyframes two { 12.5% { margin: 0 } }", "@keyframes two { 12.5% { margin: 0 } }"),
        (".one { &.two { margin: 0 } }", ".one{&.two { margin: 0 }}"),
        (r".one\.5, .one { margin: 0 }", ".one{margin: 0}"),
    ],
)  # fmt: skip
def test_a_rule_stays_if_its_classes_are_there(sheet, left):
    assert kept(sheet, "one") == left


def test_addresses_are_those_of_the_joined_sheet(tmp_path):
    (tmp_path / "own").mkdir()
    sheet = tmp_path / "own" / "own.css"
    (tmp_path / "basic.css").write_text("p { background: url(file.png) }")
    sheet.write_text(
        '@charset "UTF-8";@import "../basic.css";a { background: url("./a.svg"), url(../b.png), '
        "url('data:image/svg+xml,<a b=\\'url(%23c)\\'/>') }"
    )
    text = styles.read(sheet, tmp_path)
    assert text.startswith('p { background: url("../file.png") }\n')
    assert 'a { background: url("../own/a.svg"), url("../b.png"), url(\'data:' in text
    assert "url(%23c)" in text


def tooltip(tab):
    tab.locator("button.theme-switch-button:visible").first.hover()
    tab.locator(".tooltip").wait_for()  # a part that a script makes


def menu(tab):
    tab.locator("button.primary-toggle:visible").click()
    tab.locator(".bd-sidebar-primary nav a").first.wait_for()


def contents(tab):
    tab.locator("button.secondary-toggle:visible").click()
    tab.locator(".bd-sidebar-secondary a").first.wait_for()


def downloads(tab):
    tab.locator(".dropdown-download-buttons > button:visible").click()
    tab.locator(".dropdown-menu:visible").wait_for()


def copied(tab):
    cell = tab.locator(".cell:not([class*=tag_hide]) .cell_input").first
    cell.hover()
    cell.locator("button.copybtn").click()


def folded(tab):
    tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    for title in tab.locator(".admonition.toggle > .admonition-title").all():
        title.click()


def found(tab):
    tab.locator(".bd-search-container input[type=search]").fill("causal mask")
    tab.locator("#search-results mark").first.wait_for()


def loaded(tab):
    tab.locator("button.load").first.click()
    tab.locator("button.load").first.wait_for(state="hidden")
    folded(tab)


PHONE = 390
OPENED = [
    ("chapters/index", 1366, tooltip),
    ("chapters/index", PHONE, menu),
    ("chapters/01_attention_function", PHONE, contents),
    ("chapters/01_simple_attention", 1366, downloads),
    ("chapters/05_positions", 1366, copied),
    ("chapters/07_fine_tuning", 1366, folded),
    ("chapters/glossary", 1366, folded),
    ("chapters/instructors", 1366, folded),
    ("chapters/appendix_matrix", 1366, folded),
    ("search", 1366, found),
    ("chapters/explorer", 1366, loaded),
    ("chapters/writer", PHONE, loaded),
]
opened_up = pytest.mark.parametrize(
    ("page", "width", "do"), OPENED, ids=lambda each: getattr(each, "__name__", str(each))
)


@opened_up
def test_no_rule_and_no_icon_is_missing_that_a_page_needs(opened, address, site, page, width, do):
    static = site / "_static"
    tab = opened(f"{address}/{page}.html", width=width).page
    do(tab)
    sheets = [styles.read(file, static) for file in styles.files(static)]
    wanted = set(tab.evaluate(RULES, [sheets, True]))
    joined = (static / styles.JOINED).read_text(encoding="utf-8")
    there = set(tab.evaluate(RULES, [[joined], False]))
    assert len(wanted) > 200
    assert sorted(wanted - there) == []
    assert any("bs-tooltip-auto" in rule for rule in wanted) == (do is tooltip)
    signs = {code for rule in wanted for code in icons_of(rule)}
    assert len(signs) > 3
    assert signs & set(TTFont(icons.THEME / icons.FONTS / SOLID).getBestCmap()) <= cut_icons(static)


# ---- What was cut away would not be seen in any state --------------------------------------------

SOLID = "fa-solid-900.ttf"


def icons_of(rules: str) -> set[int]:
    """The signs of the font of icons that rules name."""
    return {int(code, 16) if code else ord(sign) for code, sign in icons.SIGN.findall(rules)}


def cut_icons(static) -> set[int]:
    """The signs that the book's font of icons has."""
    (file,) = (static / icons.FONTS).glob("fa-solid*")
    return set(TTFont(file).getBestCmap())


def test_every_icon_that_a_page_or_a_script_names_is_in_the_font(site):
    static = site / "_static"
    text = "".join(styles.read(file, static) for file in styles.files(static))
    rules = re.findall(r"((?:\.fa-[\w-]+:+before,?)+)\{content:\"([^\"]+)\"", text)
    defined = {name: sign for names, sign in rules for name in re.findall(r"fa-[\w-]+", names)}
    assert len(defined) > 1000
    texts = [page.read_text("utf-8") for page in site.rglob("*.html") if static not in page.parents]
    own = [file for file in static.rglob("*.js") if not file.name.startswith(styles.LARGE)]
    texts += [file.read_text("utf-8") for file in own if "fontawesome" not in str(file)]
    named = {name for text in texts for name in re.findall(r"\bfa-[\w-]+", text)} & set(defined)
    assert len(named) > 10
    there = cut_icons(static)
    assert {name for name in named if not icons_of(defined[name]) <= there} == set()


def nothing(tab):
    pass


def hover(selector):
    return lambda tab: tab.locator(selector).locator("visible=true").first.hover()


def focus(times):
    def press(tab):
        for _ in range(times):
            tab.keyboard.press("Tab")

    return press


def printed(tab):
    tab.emulate_media(media="print")


STATES = {
    "opened": (1366, nothing),
    "a link under the mouse": (1366, hover(".bd-article p > a")),
    "a button under the mouse": (1366, hover("[data-playground] button")),
    "an entry of the menu under the mouse": (1366, hover(".bd-sidebar-primary nav li li a")),
    "a term under the mouse": (1366, hover(".bd-article a.term")),
    "a tooltip": (1366, tooltip),
    "the first thing with the keyboard": (1366, focus(1)),
    "the fifteenth": (1366, focus(15)),
    "downloads": (1366, downloads),
    "boxes": (1366, folded),
    "the menu of a phone": (PHONE, menu),
    "contents on a phone": (PHONE, contents),
    "printed": (1366, printed),
}
# What a page would look like without the rules that only count in these states.
WITHOUT = {
    "a link under the mouse": ":hover",
    "the first thing with the keyboard": ":focus",
    "boxes": ".admonition",
    "the menu of a phone": ".bd-sidebar",
    "printed": "@media print",
}


def test_no_state_shows_that_anything_was_cut_away(opened, address, site, difference):
    static = site / "_static"
    joined = (static / styles.JOINED).read_text(encoding="utf-8")
    every_rule = "".join(styles.read(file, static) for file in styles.files(static))
    whole = {
        f"**/{styles.JOINED}*": every_rule.encode(),
        "**/fa-solid-900*": (icons.THEME / icons.FONTS / SOLID).read_bytes(),
        "**/STIXTwoMath*": (formulas.TEMML / formulas.FONT).read_bytes(),
    }

    def served(tab, pattern, body):
        kind = "text/css" if ".css" in pattern else "font/woff2"
        tab.route(pattern, lambda route: route.fulfill(body=body, content_type=kind))

    def picture(width, do, instead):
        tab = tabs[width]
        tab.unroute_all()
        for pattern, body in instead.items():
            served(tab, pattern, body)
        tab.emulate_media(media="screen", reduced_motion="reduce")
        tab.mouse.move(0, 0)
        tab.goto(f"{address}/chapters/01_simple_attention.html")
        tab.evaluate("document.fonts.ready")
        do(tab)
        last = None
        while (seen := tab.screenshot(animations="disabled")) != last:  # it may still scroll
            last = seen
        return Image.open(io.BytesIO(seen)).convert("RGB")

    tabs = {
        width: opened(f"{address}/chapters/index.html", width=width, always_new=True).page
        for width in (1366, PHONE)
    }
    for name, (width, do) in STATES.items():
        as_it_is = picture(width, do, {})
        assert difference(as_it_is, picture(width, do, whole))[0] == "", name
        if name in WITHOUT:
            doctored = joined.replace(WITHOUT[name], WITHOUT[name] + "-x").encode()
            less = picture(width, do, {f"**/{styles.JOINED}*": doctored})
            assert difference(as_it_is, less)[0], name


def test_the_sheet_is_small(site):
    static = site / "_static"
    whole = "".join(styles.read(file, static) for file in styles.files(static))
    joined = (static / styles.JOINED).read_text(encoding="utf-8")
    sizes = [len(gzip.compress(text.encode())) for text in (joined, whole)]
    assert sizes[0] < 0.5 * sizes[1]
