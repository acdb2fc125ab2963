"""What a reader does with the book: open the menu, search, copy code, open a hint, use a view."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from _ext.site.contents import pages

CHAPTER = "chapters/01_simple_attention"
NEURON_VIEW = "chapters/01_attention_function"
HEAD_VIEW = "chapters/02_watching_heads"


def pages_with_views(site) -> list[str]:
    """The pages with a view of BertViz; there must be some of each kind."""
    texts = {page: (site / f"{page}.html").read_text("utf-8") for page in pages()}
    found = [page for page, text in texts.items() if re.search(r'<div id="?bertviz-', text)]
    assert NEURON_VIEW in found
    assert len(found) > 2
    return found


def test_menu_on_a_phone_leads_to_another_page(opened, address):
    reader = opened(f"{address}/{pages()[-1]}.html", width=390).page
    reader.locator("button.primary-toggle:visible").click()
    reader.locator(".bd-sidebar-primary nav a", has_text="Simple attention").first.click()
    reader.wait_for_url(f"**/{CHAPTER}.html*")


def test_menu_closes_and_opens_on_a_laptop(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    sidebar = reader.locator(".bd-sidebar-primary")
    assert sidebar.bounding_box()["x"] >= 0
    toggle = reader.locator("button.primary-toggle:visible")
    toggle.click()
    reader.wait_for_function(
        "document.querySelector('.bd-sidebar-primary').getBoundingClientRect().right <= 0"
    )
    toggle.click()
    reader.wait_for_function(
        "document.querySelector('.bd-sidebar-primary').getBoundingClientRect().left >= 0"
    )


def test_colour_scheme_can_be_chosen(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html", scheme="light").page
    ground = "getComputedStyle(document.body).backgroundColor"
    seen = {reader.evaluate(ground)}
    for _ in range(3):  # auto, light, dark
        reader.locator("button.theme-switch-button:visible").first.click()
        seen.add(reader.evaluate(ground))
    assert len(seen) == 2


SEARCHED = {
    "softmax": "Step 3: softmax",
    "RoPE": "Rotary positions: rotate instead of add",  # another name of it in the glossary
    "attenton": "Cross-attention",  # a letter is missing
    "layer normalization": "Layer normalisation by hand",  # as it is spelt elsewhere
    "causal mask": "The causal mask",
    "FlopCounterMode": "What it costs",  # it stands in code only
}


# What comes first.
FOUND_FIRST = {
    "softmax": "softmax",  # the entry of the glossary
    "what is attention": "attention",
    "the causal mask": "causal mask, look-ahead mask",
    "rows do not sum to one": "It runs, and the numbers are wrong",  # the clinic: "rows sum to 1"
    "different answer at each call": "It runs, and the numbers are wrong",
    "twelve heads": "Multi-head attention: why look twelve times at once?",
    "sqrt d_k": "Step 2: divide by √d_k",
    "license": "What you can check",  # as it is spelt elsewhere
}


@pytest.mark.parametrize("by_file", [True, False], ids=["from a folder", "served"])
def test_search_finds_sections_while_one_types(opened, address, site, by_file):
    start = f"{site.as_uri() if by_file else address}/{pages()[0]}.html"
    seen = opened(start)
    reader = seen.page
    reader.locator(".search-button-field:visible").click()
    reader.locator("input[type=search]:visible").fill("softmax")
    reader.keyboard.press("Enter")
    results = reader.locator("#search-results li")
    results.first.wait_for()
    field = reader.locator(".bd-search-container input[type=search]")
    for words, section in SEARCHED.items():
        field.fill(words)
        found = results.locator("a").all_inner_texts()[:10]
        assert section in found, (words, found)
    for words, section in FOUND_FIRST.items():
        field.fill(words)
        assert results.locator("a").first.inner_text() == section, words
    assert results.locator("mark").count() > 0
    field.fill("FlopCounterMode")
    assert "In the code of this section" in results.first.inner_text()
    field.fill("zzqq")
    assert "Nothing in the book speaks of “zzqq”" in reader.locator("#search-results").inner_text()
    field.fill("causal mask")
    results.locator("a", has_text="The causal mask").click()
    reader.wait_for_url("**/08_decoder.html#the-causal-mask")
    assert abs(reader.locator("#the-causal-mask > h2").bounding_box()["y"]) < 200
    assert seen.complaints == []


def test_a_word_that_stands_everywhere_is_called_one(opened, address):
    reader = opened(f"{address}/search.html?q=the").page
    assert "“the” says too little" in reader.locator("#search-results [role=status]").inner_text()


@pytest.mark.parametrize("by_file", [True, False], ids=["from a folder", "served"])
def test_back_leads_to_what_was_searched_last(opened, address, site, by_file):
    visit = opened(f"{site.as_uri() if by_file else address}/search.html?q=causal+mask")
    reader = visit.page
    field = reader.locator(".bd-search-container input[type=search]")
    field.press("End")
    field.press_sequentially(" & rotary")
    reader.wait_for_url("**/search.html?q=causal%20mask%20%26%20rotary")
    field.fill("rotary")
    reader.locator("#search-results li a").first.click()
    reader.wait_for_url("**/chapters/*.html*")
    reader.go_back()
    reader.wait_for_url("**/search.html?q=rotary")
    assert field.input_value() == "rotary"
    assert "Rotary positions" in reader.locator("#search-results li a").first.inner_text()
    assert visit.complaints == []


def test_the_search_page_does_not_mention_the_keys_that_lead_to_it(opened, address):
    assert opened(f"{address}/search.html").page.locator("kbd:visible").count() == 0
    assert opened(f"{address}/{CHAPTER}.html").page.locator("kbd:visible").count() > 0


def test_nobody_types_over_the_magnifier(opened, address):
    reader = opened(f"{address}/search.html?q=mask", width=390).page
    icon = reader.locator(".bd-search-container form svg, .bd-search-container form i").first
    field = reader.locator(".bd-search-container input[type=search]")
    room = field.evaluate(
        "e => e.getBoundingClientRect().x + parseFloat(getComputedStyle(e).paddingLeft)"
    )
    assert icon.bounding_box()["x"] + icon.bounding_box()["width"] <= room


def test_what_is_searched_is_there_and_each_section_has_an_address_of_its_own(site):
    text = (site / "_static/search/sections.js").read_text(encoding="utf-8")
    book = json.loads(text.removeprefix("const book = ").rstrip(";\n"))
    index = json.loads(book["index"])
    addresses = list(index["documentIds"].values())
    assert len(set(addresses)) == len(addresses) > 300
    for page in pages():
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        own = [url.split("#")[1] for url in addresses if url.split("#")[0] == f"{page}.html"]
        assert own, page
        assert [anchor for anchor in own if f'id="{anchor}"' not in html] == []
    assert ["rotary positions", "rotary position embedding", "rope"] in book["synonyms"]


def test_copy_button_copies_the_code_of_the_cell(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    cell = reader.locator(".cell:not([class*=tag_hide]) .cell_input").first
    cell.hover()
    cell.locator("button.copybtn").click()
    copied = reader.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cell.locator("pre").inner_text().strip()


def test_choices_of_a_quiz_open_by_key_and_show_their_explanations(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    quiz = reader.locator(".quiz").first
    choices = quiz.locator("details")
    choices.first.locator("summary").focus()
    for i, key in enumerate(("Enter", "Space")):
        explanation = choices.nth(i).locator("summary ~ *")
        assert not explanation.first.is_visible()
        reader.keyboard.press(key)
        explanation.first.wait_for(state="visible")
        assert re.match(r"Right\.|No:", explanation.first.inner_text())
        reader.keyboard.press("Tab")
    assert choices.nth(2).locator("summary").evaluate("box => box === document.activeElement")


def test_formulas_in_the_choices_of_a_quiz_are_set(opened, address):
    reader = opened(f"{address}/chapters/02_multi_head.html").page
    formula = reader.locator(".quiz summary math").first
    assert formula.is_visible()
    assert "$" not in "".join(reader.locator(".quiz summary").all_text_contents())


def test_what_is_folded_is_open_on_paper(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    explanations = reader.locator(".quiz details > p")
    assert explanations.count() > 0
    assert not any(each.is_visible() for each in explanations.all())
    reader.emulate_media(media="print")
    assert all(each.is_visible() for each in explanations.all())


def test_bertviz_views_draw_the_layer_that_is_chosen(site, opened, address):
    views = [
        view
        for page in pages_with_views(site)
        for view in opened(f"{address}/{page}.html").page.locator("[id^='bertviz-']").all()
    ]
    several = [view for view in views if view.locator("select#layer option").count() > 1]
    assert several
    for view in several:
        lines = view.locator("#vis > svg line")
        before = lines.evaluate_all("all => all.map(line => line.getAttribute('stroke-opacity'))")
        menu = view.locator("select#layer")
        shown = menu.input_value()
        others = menu.locator("option").evaluate_all("all => all.map(option => option.value)")
        menu.select_option(next(value for value in others if value != shown))
        after = lines.evaluate_all("all => all.map(line => line.getAttribute('stroke-opacity'))")
        assert before
        assert before != after


def test_bertviz_answers_to_the_keyboard(opened, address):
    reader = opened(f"{address}/{NEURON_VIEW}.html").page
    view = reader.locator("[id^='bertviz-']:has(#att_head)").first
    view.locator("select").last.focus()
    for token in ("[CLS]", "time"):
        reader.keyboard.press("Tab")
        assert reader.evaluate("document.activeElement.getAttribute('aria-label')") == token
    faded = "all => all.filter(group => group.style.opacity === '0').length"
    rows = view.locator(".attn-line-group")
    assert rows.evaluate_all(faded) == rows.count() - 1  # those of the other tokens
    queries = view.locator("#expanded #queries")
    assert not queries.is_visible()
    reader.keyboard.press("Enter")
    queries.wait_for(state="visible")
    softmax = view.locator("#expanded text", has_text="Softmax").bounding_box()
    frame = view.bounding_box()
    assert softmax["x"] + softmax["width"] <= frame["x"] + frame["width"]  # no scrolling needed
    assert reader.evaluate("document.activeElement.getAttribute('aria-label')") == "time"
    reader.keyboard.press("Enter")
    queries.wait_for(state="hidden")


def test_heads_of_bertviz_are_chosen_with_the_keyboard(opened, address):
    reader = opened(f"{address}/{HEAD_VIEW}.html").page
    heads = reader.locator("[id^='bertviz-']").first.get_by_role("checkbox")
    shown = "all => all.filter(e => e.ariaChecked === 'true').map(e => e.ariaLabel)"
    colours = heads.evaluate_all("all => all.map(e => e.getAttribute('fill'))")
    assert len(set(colours)) == len(colours) == 12
    heads.nth(2).focus()
    reader.keyboard.press("Enter")
    assert heads.evaluate_all(shown) == ["Head 2"]
    lines = reader.locator("[id^='bertviz-']").first.locator("#vis > svg line")
    visible = "all => all.filter(e => e.getAttribute('stroke-opacity') > 0.01).length"
    alone = lines.evaluate_all(visible)
    reader.keyboard.press("Tab")
    reader.keyboard.press("Space")
    assert heads.evaluate_all(shown) == ["Head 2", "Head 3"]
    assert lines.evaluate_all(visible) > alone > 0


def test_each_button_of_the_bar_shows_that_it_has_the_keyboard(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    buttons = reader.locator(".bd-header-article button:visible")
    assert buttons.count() >= 4
    reader.keyboard.press("Tab")  # from now on the browser shows where the keyboard is
    for button in buttons.all():
        button.focus()
        outline = button.evaluate("e => getComputedStyle(e).outlineStyle")
        assert outline == "solid", button.get_attribute("title")


def test_opened_answers_and_pages_that_were_read_are_remembered(opened, address):
    reader = opened(f"{address}/{CHAPTER}.html").page
    choices = reader.locator(".quiz details")
    ticks = reader.locator(".bd-sidebar-primary .read-mark")
    choices.nth(1).locator("summary").click()
    assert ticks.count() == 0
    reader.locator(".prev-next-footer").scroll_into_view_if_needed()
    ticks.first.wait_for()
    reader.reload()
    ticks.first.wait_for()
    assert "Simple attention" in ticks.locator("..").inner_text()
    assert choices.evaluate_all("all => all.map(e => e.open)").index(True) == 1
    reader.locator(".close-answers").click()
    reader.reload()
    assert reader.locator(".quiz details[open]").count() == 0


def test_a_page_works_without_storage(opened, address, browser):
    context = browser.new_context()
    context.add_init_script(
        "Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new Error('no'); }"
    )
    reader = context.new_page()
    errors = []
    reader.on("pageerror", lambda error: errors.append(error.stack or ""))
    reader.goto(f"{address}/{CHAPTER}.html")
    reader.locator(".quiz details summary").first.click()
    assert reader.locator(".quiz details[open]").count() == 1
    assert [error for error in errors if "memory.js" in error] == []
    context.close()


def test_open_computation_of_bertviz_scrolls_in_its_frame_on_a_phone(opened, address):
    reader = opened(f"{address}/{NEURON_VIEW}.html", width=390).page
    view = reader.locator("[id^='bertviz-']:has(#att_head)").first
    view.locator("#collapsed #leftText > g[tabindex]").nth(1).focus()
    reader.keyboard.press("Enter")
    drawing = view.locator("#vis > svg")
    assert drawing.bounding_box()["width"] >= 700  # smaller, its words could not be read
    assert view.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert reader.evaluate("document.documentElement.scrollWidth") <= 390


def test_views_show_their_own_sentences(site, opened, address):
    shown = [
        (reader, view)
        for page in pages_with_views(site)
        for reader in [opened(f"{address}/{page}.html").page]
        for view in reader.locator("[id^='bertviz-']").all()
    ]
    for reader, view in shown:
        identifier = view.get_attribute("id")
        script = reader.evaluate(
            """id => [...document.scripts].map(script => script.textContent)
                 .find(text => text.includes(id) && text.includes("left_text"))""",
            identifier,
        )
        data = json.loads(re.search(r"(?:const params|bertviz_params) = (\{.*\})", script)[1])
        assert data["root_div_id"] == identifier
        parts = data["attention"]  # by name in a neuron view, in order in a head view
        part = parts[data["default_filter"]] if isinstance(parts, dict) else parts[0]
        sentence = part["left_text"]
        drawn = view.locator("#vis > svg text").all_text_contents()
        assert set(sentence) <= set(drawn)


def test_terms_are_linked_once_and_say_what_they_mean(site, opened, address):
    glossary = (site / "chapters/glossary.html").read_text(encoding="utf-8")
    for page in (name for name in pages() if re.match(r"chapters/\d\d_", name)):
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        links = re.findall(r'<a class="term" data-meaning="([^"]+)" href="([^"]+)"', text)
        anchors = [href.partition("#")[2] for _, href in links]
        assert len(links) >= 5, page
        assert len({meaning for meaning, _ in links}) == len(links), page
        assert all(f'id="{anchor}"' in glossary for anchor in anchors), page

    reader = opened(f"{address}/{CHAPTER}.html").page
    term = reader.locator("a.term").first
    card = "link => getComputedStyle(link, '::after').content"
    assert term.evaluate(card) == "none"
    reader.keyboard.press("Tab")  # else a focus that a script sets would not be shown
    term.focus()
    assert term.get_attribute("data-meaning") in term.evaluate(card)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_tap_on_a_term_opens_what_it_means(browser, address, scheme):
    size = {"width": 390, "height": 844}
    context = browser.new_context(
        viewport=size, has_touch=True, is_mobile=True, color_scheme=scheme
    )
    reader = context.new_page()
    reader.goto(f"{address}/{CHAPTER}.html")
    here = reader.url
    terms, card = reader.locator("a.term"), reader.locator(".term-card")
    for way in ("button", "key", "tap beside it"):
        for term in (terms.nth(0), terms.nth(3)):
            assert not card.is_visible()
            term.tap()
            card.wait_for()
            assert term.inner_text() in card.inner_text()
            assert term.get_attribute("data-meaning") in card.inner_text()
            box = card.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            assert box["y"] + box["height"] <= 844
            if way == "button":
                card.locator("button").tap()
            elif way == "key":
                reader.keyboard.press("Escape")
            else:
                reader.touchscreen.tap(380, 200)
            card.wait_for(state="hidden")
            if way != "tap beside it":
                assert term.evaluate("term => term === document.activeElement")
    terms.nth(0).tap()
    found = Axe().run(reader, context={"include": [[".term-card"]]})
    assert found.response["passes"]
    assert [each["id"] for each in found.response["violations"]] == []
    assert reader.url == here
    card.locator("a").tap()
    reader.wait_for_url("**/glossary.html#term-*")
    context.close()


@pytest.mark.parametrize("page", [CHAPTER, "chapters/05_positions", "chapters/instructors"])
def test_a_line_of_text_has_60_to_75_characters_on_a_laptop(opened, address, page):
    reader = opened(f"{address}/{page}.html").page
    lengths = reader.evaluate(
        """() => [...document.querySelectorAll(".bd-article section > p")].map(paragraph => {
          const height = parseFloat(getComputedStyle(paragraph).lineHeight);
          const lines = Math.round(paragraph.getBoundingClientRect().height / height);
          return lines > 2 ? paragraph.innerText.length / (lines - 0.5) : 0;
        }).filter(Boolean).sort((one, other) => one - other)"""
    )
    assert len(lengths) > 9
    assert 60 <= lengths[len(lengths) // 2] <= 75
    code = reader.locator("div.highlight").first.bounding_box()
    text = reader.locator(".bd-article section > p").first.bounding_box()
    assert code["width"] > text["width"] + 50


def test_a_folded_cell_says_what_it_holds(site):
    pages_with_folds = 0
    for page in pages():
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        cells = re.split(r'<div class="cell ', html)[1:]
        for cell in cells:
            said = re.findall(r'collapsed admonition-title">([^<]*)', cell)
            drawn = "<figure" in cell and "tag_hide-input" in cell.split(">")[0]
            assert "How this is drawn" in said if drawn else "How this is drawn" not in said
            assert set(said) <= {
                "How this is drawn", "Show the code", "Show the output",
                "Show the code and its output", "Hide the code", "Hide the output",
                "Hide the code and its output",
            }  # fmt: skip
            pages_with_folds += bool(said)
    assert pages_with_folds > 100


def test_each_page_says_once_how_wide_a_phone_is(site):
    for page in [*pages(), "search"]:
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        assert html.count('<meta name="viewport"') == 1, page
