"""The one style sheet of all pages: no rule is missing that a page needs; few others are there."""

import gzip

import pytest
import styles
import tinycss2

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


@pytest.mark.parametrize(
    "page", ["chapters/index", "chapters/01_attention_function", "chapters/explorer"]
)
def test_no_rule_is_missing_that_a_page_needs(opened, address, site, page):
    static = site / "_static"
    tab = opened(f"{address}/{page}.html").page
    tab.locator("button.theme-switch-button:visible").first.hover()
    tab.locator(".tooltip").wait_for()  # a part that a script makes
    sheets = [styles.read(file, static) for file in styles.files(static)]
    wanted = set(tab.evaluate(RULES, [sheets, True]))
    joined = (static / styles.JOINED).read_text(encoding="utf-8")
    there = set(tab.evaluate(RULES, [[joined], False]))
    assert len(wanted) > 400
    assert sorted(wanted - there) == []
    assert any("bs-tooltip-auto" in rule for rule in wanted)


def test_the_sheet_is_small(site):
    static = site / "_static"
    whole = "".join(styles.read(file, static) for file in styles.files(static))
    joined = (static / styles.JOINED).read_text(encoding="utf-8")
    sizes = [len(gzip.compress(text.encode())) for text in (joined, whole)]
    assert sizes[0] < 0.5 * sizes[1]
