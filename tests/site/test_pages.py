"""Every page of the built book, as a reader sees it: on a phone and a laptop, in light and dark."""

import collections
import functools
import gzip
import re
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from fontTools.ttLib import TTFont

from _ext.site.contents import pages

PAGES = pages()
WIDTHS = (390, 1366)  # a phone, a laptop
SCHEMES = ("light", "dark")
# Axe needs a second for each page, and nearly all words look like some that it has judged before.
SHOW_NEW_LOOKS_ALONE = """([known, left_out]) => {
  const once = ask => {
    const answers = new Map();
    return element => {
      if (!answers.has(element)) answers.set(element, ask(element));
      return answers.get(element);
    };
  };
  const ground = once(element => {
    if (!element) return "";
    const style = getComputedStyle(element);
    const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter,
                 style.position === "static" ? "" : style.position].join(" ");
    const plain = own === "rgba(0, 0, 0, 0) none 1 none ";
    return (plain ? "" : own) + ground(element.parentElement);
  });
  const ink = once(element => {
    const style = getComputedStyle(element);
    return [style.color, style.fontSize, style.fontWeight, style.textShadow,
            style.textDecorationLine, style.visibility, style.display].join(" ");
  });
  const judged = new Set(known);
  const met = new Set(), fresh = new Set(), shown = new Set(), hidden = [];
  for (const element of document.body.querySelectorAll("*:not(svg, svg *, math, math *)")) {
    if (left_out && element.closest(left_out)) continue;
    const texts = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    if (!texts.some(text => text.data.trim())) continue;
    const parent = element.parentElement;
    const look = [element.localName, ink(element), ink(parent), ground(element)].join();
    // What lies over other words of an article has no ground of its own.
    const floats = element.closest(".bd-article") && /absolute|fixed|sticky/.test(ground(element));
    if (met.has(look) || (judged.has(look) && !floats)) hidden.push(element);
    else if (getComputedStyle(element).visibility === "visible") {
      fresh.add(look);
      shown.add(element);
      if (element.localName === "a") shown.add(parent); // its text is compared with it
    }
    met.add(look);
  }
  const set = (element, visibility) => {
    element.dataset.before = element.style.visibility;
    element.style.visibility = visibility;
  };
  if (fresh.size) {
    shown.forEach(element => set(element, "visible"));
    hidden.filter(element => !shown.has(element)).forEach(element => set(element, "hidden"));
  }
  return [met.size, [...fresh]];
}"""
SHOW_IT_AGAIN = """() => document.querySelectorAll("[data-before]").forEach(element => {
  element.style.visibility = element.dataset.before;
  delete element.dataset.before;
})"""
# Axe asks for the place of each element, and most of them are single words of code and parts of
# drawings and formulas. A box of them keeps its size while they are away, and code its text; what
# one can reach by key or what has a name of its own stays. Where axe is to judge colours, all boxes
# go in which nothing is shown to it.
TAKE_PARTS_AWAY = """colours => {
  const drawings = "svg, math";
  const blocks = colours ? "pre, p, ul, ol, dl, table, details" : "pre";
  const named = "a, button, input, select, title, desc, [tabindex], [role], [aria-label]";
  const shown = "[data-before]:not([style*='visibility: hidden'])";
  const boxes = [];
  const choose = element => {
    for (const box of element.children) {
      if (box.matches(drawings)) {
        const stay = `:is(${named}, text), :has(${named}, text)`;
        const any = box.querySelector(named);
        boxes.push([box, any ? [...box.children].filter(part => part.matches(stay)) : []]);
      } else if (
        box.matches(`:is(${blocks}):not(${shown})`)
        && !box.querySelector(colours ? `${shown}, svg text` : named)
      ) {
        boxes.push([box, colours ? [] : [box.textContent]]);
      } else choose(box);
    }
  };
  choose(document.body);
  const sizes = boxes.map(([box]) => box.getBoundingClientRect());
  // The theme lets keys reach whatever scrolls, and may look for it meanwhile.
  const reached = [...document.querySelectorAll("[tabindex]")];
  window.tabindex = reached.map(element => [element, element.getAttribute("tabindex")]);
  window.taken = boxes.map(([box, stay], i) => {
    const before = [box, box.getAttribute("style"), [...box.childNodes]];
    box.replaceChildren(...stay);
    box.style.cssText +=
      `; box-sizing: border-box; width: ${sizes[i].width}px; height: ${sizes[i].height}px`;
    return before;
  });
}"""
BRING_PARTS_BACK = """() => {
  for (const [box, style, parts] of window.taken) {
    box.replaceChildren(...parts);
    if (style === null) box.removeAttribute("style"); else box.setAttribute("style", style);
  }
  window.tabindex.forEach(([element, value]) => element.setAttribute("tabindex", value));
}"""
# The long list of what passed is not brought here.
RUN_AXE = """async ([context, options]) => {
  const found = await axe.run(context ?? document, options);
  return [found.passes.length, found.violations];
}"""
ICONS = """() => [...document.querySelectorAll("*")]
  .flatMap(element => ["::before", "::after"].map(part => getComputedStyle(element, part)))
  .filter(style => /Font Awesome/.test(style.fontFamily) && style.content.length === 3)
  .map(style => style.content[1])"""
FONT_IS_THERE = "document.fonts.check('16px STIX2')"
# of elements; one that is folded counts as drawn
BOXES = """all => all.map(element => element.closest("details:not([open]), .toggle-hidden")
  ? [2, 2] : [element.getBoundingClientRect().width, element.getBoundingClientRect().height])"""
# What a formula's element draws shows in no text, but in its size: of each kind, which elements
# have it, and by how many pixels one is larger than it would be without.
UNDRAWN = """() => {
  const { width, height, top, bottom } = Object.fromEntries(
    ["width", "height", "top", "bottom"].map((side) =>
      [side, (element) => element.getBoundingClientRect()[side]]));
  const em = (element) => parseFloat(getComputedStyle(element).fontSize);
  const kinds = {
    "a root is wider than what it is of": ["msqrt, mroot", (root) =>
      width(root) - [...root.children].reduce((sum, part) => sum + width(part), 0) - em(root)],
    "a bar has room above and below": ["mfrac", (fraction) =>
      top(fraction.children[1]) - bottom(fraction.children[0]) - 0.2 * em(fraction)],
    "a bracket is as high as what it holds": ["mrow > mo[stretchy=true]", (bracket) =>
      height(bracket) - 0.95 * Math.max(...[...bracket.parentElement.children]
        .filter((part) => part.localName !== "mo").map(height))],
    "a bracket is as high as it asks to be": ["mo[minsize$=em]", (bracket) =>
      height(bracket) - parseFloat(bracket.getAttribute("minsize")) * em(bracket)],
    "a brace is as wide as what it is under": ["munder > mo[stretchy=true]", (brace) =>
      width(brace) - 0.95 * width(brace.previousElementSibling)],
    "a sum on a line of its own is large": ["mo", (sum) =>
      sum.textContent === "∑" && getComputedStyle(sum).mathStyle === "normal"
        ? height(sum) - 1.2 * em(sum) : 1],
    "there is a sign over a letter": ["mover > mo:last-child", (accent) =>
      Math.min(width(accent), height(accent)) - 0.05 * em(accent)],
    "there is a line over a product": ["menclose.tml-overline", (line) =>
      parseFloat(getComputedStyle(line).borderTopWidth) - 0.05 * em(line)],
  };
  const folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((box) => { box.open = true; });
  const found = Object.entries(kinds).flatMap(([kind, [selector, excess]]) =>
    [...document.querySelectorAll(selector)]
      .filter((element) => element.closest("math") && !element.closest(".toggle-hidden"))
      .filter((element) => excess(element) <= 0)
      .map((element) => `${kind}: ${element.closest("math").textContent}`));
  folded.forEach((box) => { box.open = false; });
  return found;
}"""
# They look for what lies behind each word, and take nine tenths of axe's time.
RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"]
FIRST_PAGE, ANY_PAGE = 300_000, 1_200_000  # bytes, compressed as servers send them
on_every_page = pytest.mark.parametrize("page", PAGES)
in_both_schemes = pytest.mark.parametrize("scheme", SCHEMES)
at_both_widths = pytest.mark.parametrize("width", WIDTHS)
on_a_phone = pytest.mark.parametrize("width", WIDTHS[:1])


@pytest.fixture(scope="module")
def looks():
    """How words look that axe has judged, by width and scheme."""
    return collections.defaultdict(set)


@pytest.mark.parametrize("page", [*PAGES, "search"])
@at_both_widths
@in_both_schemes
class TestInEachWidthAndScheme:
    def test_page_asks_no_other_host(self, visit, address, page, width, scheme):
        requests = visit(page, width, scheme).requests
        here = address if width == max(WIDTHS) else "file:"
        assert len(requests) > 5
        assert [url for url in requests if not url.startswith((here, "data:"))] == []

    def test_page_logs_no_error_and_no_warning(self, visit, page, width, scheme):
        assert visit(page, width, scheme).complaints == []

    def test_page_does_not_scroll_sideways(self, visit, page, width, scheme):
        seen = visit(page, width, scheme).page
        assert seen.evaluate("document.documentElement.scrollWidth") <= width

    def test_text_stands_out_from_its_ground(self, visit, looks, page, width, scheme):
        # The article has the same colours at both widths.
        article = ".bd-article" if width < max(WIDTHS) else ""
        seen, known = visit(page, width, scheme).page, looks[width, scheme]
        met, fresh = seen.evaluate(SHOW_NEW_LOOKS_ALONE, [sorted(known), article])
        assert met > 10
        if not fresh:
            return
        apart = {"exclude": [[article]]} if article else None
        try:
            assert _axe(seen, apart, colours=True, runOnly=RULES_OF_COLOUR) == {}
        finally:
            seen.evaluate(SHOW_IT_AGAIN)
        known.update(fresh)

    def test_ground_and_ink_follow_the_scheme(self, visit, page, width, scheme):
        ground, ink = visit(page, width, scheme).page.evaluate(
            """() => {
              const lightness = (colour) => colour.match(/[0-9.]+/g).slice(0, 3)
                .reduce((sum, part) => sum + Number(part) / 765, 0);
              const text = document.querySelector("h1:not(#jb-print-docs-body *)");
              return [lightness(getComputedStyle(document.body).backgroundColor),
                      lightness(getComputedStyle(text).color)];
            }"""
        )
        assert (ground > 0.9 and ink < 0.3) if scheme == "light" else (ground < 0.2 and ink > 0.7)


# Rules that are not about colour say the same in both schemes.
@pytest.mark.parametrize("page", [*PAGES, "search"])
@pytest.mark.parametrize(("width", "scheme"), [*zip(WIDTHS, SCHEMES, strict=True)])
def test_axe_finds_no_barrier(visit, page, width, scheme):
    seen = visit(page, width, scheme).page
    assert _axe(seen, rules={rule: {"enabled": False} for rule in RULES_OF_COLOUR}) == {}


@on_every_page
class TestContents:
    def test_every_formula_is_set(self, visit, page):
        seen = visit(page).page
        formulas = seen.locator(".bd-article .math").count()
        sizes = seen.locator(".bd-article .math math").evaluate_all(BOXES)
        assert len(sizes) == formulas
        assert all(width > 1 and height > 1 for width, height in sizes)
        assert seen.locator("merror").count() == 0
        assert not formulas or seen.evaluate(FONT_IS_THERE)

    def test_what_a_formula_draws_without_a_character_is_drawn(self, visit, page):
        assert visit(page).page.evaluate(UNDRAWN) == []

    def test_no_formula_and_no_emphasis_is_left_as_source(self, visit, page):
        text = visit(page).page.evaluate(
            """() => {
              const article = document.querySelector(".bd-article").cloneNode(true);
              article.querySelectorAll("pre, code, script, math").forEach(e => e.remove());
              return article.textContent;
            }"""
        )
        assert re.findall(r".{0,20}(?:\$|\\[(\[]|\\frac|\\sqrt|\*\w+\*).{0,20}", text) == []

    def test_every_bertviz_view_draws_and_is_labelled(self, visit, page, site):
        views = visit(page).page.locator("[id^='bertviz-']")
        assert views.count() == len(re.findall(r"<div id=\"?bertviz-", _html(site, page)))
        for view in views.all():
            assert view.locator("#vis > svg").count() == 1
            assert view.locator("#vis > svg text").count() >= 4
            for menu in view.locator("select").all():
                assert menu.get_attribute("aria-label")

    def test_every_image_has_words_in_its_place(self, visit, page):
        for image in visit(page).page.locator(".bd-article img").all():
            alt = image.get_attribute("alt") or ""
            assert len(alt.split()) >= 4, image.get_attribute("src")
            assert not re.search(r"\.(png|svg|jpe?g)\b|_build|_images", alt)

    def test_every_inline_figure_has_words_in_its_place(self, visit, page):
        for figure in visit(page).page.locator("figure.course-figure > svg").all():
            assert figure.get_attribute("role") == "img"
            assert len((figure.get_attribute("aria-label") or "").split()) >= 5

    @at_both_widths
    def test_every_inline_figure_fits_its_column(self, visit, page, width):
        widest = visit(page, width).page.evaluate(
            """() => [...document.querySelectorAll("figure.course-figure")]
              .filter(f => f.scrollWidth > f.clientWidth
                        || f.clientWidth > f.closest(".bd-article").clientWidth)
              .map(f => f.textContent.slice(0, 80))"""
        )
        assert widest == []

    def test_code_of_a_cell_fits_the_column_of_a_laptop(self, visit, page):
        cut = visit(page).page.evaluate(
            """() => [...document.querySelectorAll(".cell_input pre")]
              .filter(pre => pre.scrollWidth > pre.clientWidth)
              .map(pre => pre.textContent.split("\\n").sort((a, b) => b.length - a.length)[0])"""
        )
        assert cut == []

    def test_every_code_cell_has_a_copy_button(self, visit, page):
        seen = visit(page).page
        cells = seen.locator(".cell_input pre").count()
        assert seen.locator(".cell_input button.copybtn").count() == cells

    def test_page_says_what_it_is(self, visit, page, site):
        seen = visit(page).page
        assert seen.locator("html").get_attribute("lang") == "en"
        assert seen.title().count("The Transformer from scratch") == 1
        description = seen.locator("meta[name=description]").first.get_attribute("content")
        assert 50 <= len(description) <= 250
        assert sum(description in _html(site, other) for other in PAGES) == 1
        assert seen.locator(".bd-article h1").count() == 1
        assert seen.locator(".bd-article h2").count() >= 1
        assert "© Copyright 2026" in seen.locator(".bd-footer-content").inner_text()

    def test_page_is_light(self, visit, address, site, page):
        loaded = {urldefrag(url)[0].split("?")[0] for url in visit(page).requests}
        sizes = {
            url: _size_on_the_way(site / url.removeprefix(address).lstrip("/"))
            for url in loaded
            if url.startswith(address)
        }
        assert len(sizes) > 5
        assert sum(sizes.values()) < (FIRST_PAGE if page == PAGES[0] else ANY_PAGE), sizes

    def test_every_icon_is_in_the_font(self, visit, page, site):
        (file,) = (site / "_static/vendor/fontawesome/webfonts").glob("fa-solid*")
        font = TTFont(file)
        shown = visit(page).page.evaluate(ICONS)
        assert len(shown) > 3
        assert {sign for sign in shown if ord(sign) not in font.getBestCmap()} == set()

    def test_every_internal_link_and_anchor_leads_somewhere(self, visit, address, site, page):
        links = visit(page).page.evaluate("[...document.links].map(a => a.getAttribute('href'))")
        broken = []
        for link in links:
            target, anchor = urldefrag(urljoin(f"{address}/{page}.html", link))
            if not target.startswith(address):
                continue
            file = site / unquote(target.removeprefix(address).lstrip("/"))
            leads = file.is_file() and (not anchor or unquote(anchor) in _identifiers(file))
            if not leads:
                broken.append(link)
        assert len(links) > 5
        assert broken == []

    def test_menu_opens_on_a_phone(self, visit, page):
        seen = visit(page, 390).page
        entry = seen.locator(".bd-sidebar-primary nav a", has_text="Simple attention").first
        assert not entry.is_visible()
        seen.locator("button.primary-toggle:visible").click()
        try:
            entry.wait_for(state="visible")
            box = entry.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            assert entry.evaluate("link => link.pathname").endswith("/01_simple_attention.html")
        finally:
            seen.keyboard.press("Escape")
        entry.wait_for(state="hidden")

    def test_folded_boxes_open_and_close_by_click_and_by_key(self, visit, page):
        reader = visit(page).page
        folded = reader.locator(".admonition.toggle")
        if page == PAGES[0]:
            assert folded.count() > 0
        for i in range(folded.count()):
            box = folded.nth(i)
            inside = box.locator(":scope > :is(p, ul, ol, div):not(.admonition-title)").first
            for state in ("visible", "hidden"):
                assert inside.is_visible() == (state == "hidden")
                if i % 2:
                    box.locator("button").focus()
                    reader.keyboard.press("Enter")
                else:
                    box.locator(".admonition-title").click()
                inside.wait_for(state=state)

    @on_a_phone
    def test_page_opened_from_a_folder_draws_everything(self, visit, page, width):
        by_file = visit(page, width).page
        assert by_file.url.startswith("file:")
        assert by_file.locator("math").count() == 0 or by_file.evaluate(FONT_IS_THERE)
        views = by_file.locator("[id^='bertviz-']").count()
        assert by_file.locator("[id^='bertviz-'] #vis > svg").count() == views


def test_the_book_has_formulas_figures_and_bertviz_views_for_these_tests_to_look_at(site):
    book = "".join(_html(site, page) for page in PAGES)
    for sign in ('class="math', 'class="course-figure"', "bertviz-", "cell_input"):
        assert sign in book
    formulas = "".join(re.findall(r"<math\b.*?</math>", book, re.DOTALL))
    for kind in (
        "<msqrt",
        "<mfrac",
        'stretchy="true"',
        "minsize=",
        "⏟",
        "∑",
        "<mover",
        "<menclose",
    ):
        assert kind in formulas


def test_no_page_loads_a_script_or_style_from_another_host(site):
    pattern = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*")
    for page in site.rglob("*.html"):
        assert pattern.findall(page.read_text(encoding="utf-8")) == [], page.name


def test_no_page_asks_for_a_script_before_its_words(site):
    for page in PAGES:
        assert 'rel="preload" as="script"' not in _html(site, page), page


def _axe(page, context=None, colours=False, **options):
    """Return what violates a rule of axe, by rule, after making sure that some rule was applied."""
    options = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}, **options}
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(TAKE_PARTS_AWAY, colours)
    try:
        passes, violations = page.evaluate(RUN_AXE, [context, options])
    finally:
        page.evaluate(BRING_PARTS_BACK)
    assert passes
    return {rule["id"]: [node["html"][:150] for node in rule["nodes"]] for rule in violations}


def _size_on_the_way(file):
    content = file.read_bytes()
    return len(content if file.suffix in (".woff", ".woff2", ".png") else gzip.compress(content))


@functools.cache
def _identifiers(file):
    return set(re.findall(r'\bid="([^"]+)"', file.read_text(encoding="utf-8")))


def _html(site, page):
    return (site / f"{page}.html").read_text(encoding="utf-8")
