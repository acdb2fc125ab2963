"""What the pages that run a model have in common: panels, a button that loads it, linked states."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

# A state in which all panels are filled, and what opens the last of them.
FULL = {
    "explorer": ("step=update;broken=order", None),
    "writer": ("start=What%2C+my+good+lord;p=0.9", "[data-explorer=time] button"),
}
LAST = {"explorer": ".explorer-detail table", "writer": "[data-explorer=time] svg"}
STATES = {
    "explorer": {"a", "b", "c", "word", "shown", "layer", "head", "step", "broken"},
    "writer": {"start", "written", "at", "temperature", "k", "p", "seed", "layer", "head", "cache"},
}
both = pytest.mark.parametrize("name", FULL)


@both
@pytest.mark.parametrize(
    ("width", "scheme", "from_folder"), [(1366, "dark", False), (390, "light", True)]
)
def test_every_panel_is_without_barriers_when_all_is_shown(
    opened, address, site, name, width, scheme, from_folder
):
    state, button = FULL[name]
    book = site.as_uri() if from_folder else address
    visit = opened(f"{book}/chapters/{name}.html#{state}", width=width, scheme=scheme)
    load = visit.page.locator("[data-explorer] button.load").first
    load.click()
    load.wait_for(state="hidden")
    if button:
        visit.page.locator(button).click()
    visit.page.locator(LAST[name]).first.wait_for()
    assert visit.complaints == []  # what axe asks for is not the page's doing
    found = Axe().run(visit.page, context={"include": [["[data-explorer]"]]})
    assert found.response["passes"]
    assert [each["id"] for each in found.response["violations"]] == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


@both
def test_without_javascript_a_sentence_says_so(browser, address, name):
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"{address}/chapters/{name}.html")
    panels = page.locator("[data-explorer]").all()
    assert len(panels) > 2
    for panel in panels:
        assert "JavaScript" in panel.inner_text()
    page.close()


@both
def test_links_of_the_book_lead_to_states_that_the_page_knows(site, name):
    pages = {page.name: page.read_text("utf-8") for page in (site / "chapters").glob("*.html")}
    states = set(re.findall(r'href="#([^"]*=[^"]*)"', pages[f"{name}.html"]))
    for html in pages.values():
        states |= set(re.findall(rf'href="{name}\.html#([^"]*=[^"]*)"', html))
    known = STATES[name]
    assert len(states) > 5
    assert all(part.partition("=")[0] in known for state in states for part in state.split(";"))


FIRST = {"explorer": "sentences", "writer": "text"}
MORE = {"explorer": ["layers", "steps"], "writer": ["cache", "time"]}  # with a button of their own
REPLACED = {  # what has the focus afterwards
    "sentences": "flies10029",
    "layers": "differences",
    "steps": "Query of flies",
    "text": "Write one character",
    "cache": "Layer 0, head 0",
    "time": "Measure both",
}
IN_FOCUS = """() => {
  const { ariaLabel, textContent } = document.activeElement;
  return document.activeElement === document.body ? "BODY" : ariaLabel || textContent;
}"""


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name in FIRST for place in [FIRST[name], *MORE[name]]]
)
def test_who_loads_the_model_by_keyboard_goes_on_where_they_were(opened, address, name, place):
    state = "#poles=river,money" if place == "layers" else ""
    page = opened(f"{address}/chapters/{name}.html{state}").page
    button = page.locator(f"[data-explorer={place}] button.load")
    button.focus()
    page.keyboard.press("Enter")
    button.wait_for(state="hidden")
    page.wait_for_function("document.activeElement !== document.body")
    assert REPLACED[place].lower() in page.evaluate(IN_FOCUS).lower()
    assert (
        page.evaluate("document.activeElement.closest('[data-explorer]').dataset.explorer") == place
    )


@both
def test_back_leads_back(opened, address, name):
    visit = opened(f"{address}/chapters/{name}.html")
    page = visit.page
    shown = {
        "explorer": lambda: page.locator("[data-explorer=heads] h3").inner_text(),
        "writer": lambda: page.locator(".writer-heard").text_content(),
    }[name]
    places = {
        "explorer": ["layer=2;head=7", "layer=1;head=8"],
        "writer": ["start=My+l;p=0.9", "start=What,+;p=0.9"],
    }[name]
    seen = [(shown(), page.evaluate("scrollY"))]
    for place in places:
        page.locator(f"a[id='{place}']").click()
        page.wait_for_timeout(300)
        seen.append((shown(), page.evaluate("scrollY")))
    assert len({words for words, _ in seen}) == 3
    for words, _ in [seen[1], seen[0]]:
        page.go_back()
        page.wait_for_timeout(300)
        assert shown() == words
    assert "#" not in page.url
    page.go_forward()
    page.wait_for_timeout(300)
    assert shown() == seen[1][0]
    assert visit.complaints == []


@both
def test_an_error_of_ours_is_not_blamed_on_the_browser(opened, address, name):
    visit = opened(f"{address}/chapters/{name}.html")
    page = visit.page
    page.evaluate(
        """() => {
          explorerDrawing.pixels = explorerDrawing.lines = () => { throw new Error("ours"); };
        }"""
    )
    page.locator("[data-explorer] button.load").first.click()
    status = page.locator(".explorer-status")
    expect(status).to_contain_text("Something went wrong in this page. Load it again")
    assert "browser" not in status.inner_text()
    assert any("ours" in complaint for complaint in visit.complaints)


@both
def test_what_the_folder_lacks_is_named_and_can_be_loaded_later(opened, address, name):
    page = opened(f"{address}/chapters/{name}.html").page
    page.route("**/weights-01.js", lambda route: route.abort())
    button = page.locator("[data-explorer] button.load").first
    button.focus()
    page.keyboard.press("Enter")
    status = page.locator(".explorer-status")
    expect(status).to_contain_text("cannot run here")
    expect(status).to_contain_text("weights-01.js cannot be loaded. It needs a browser of 2023")
    assert "Load the model" in page.evaluate(IN_FOCUS)
    page.unroute("**/weights-01.js")
    page.keyboard.press("Enter")
    button.wait_for(state="hidden")


@both
@pytest.mark.parametrize("width", [1366, 768, 390])
def test_nothing_moves_while_the_page_opens(browser, address, name, width):
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver(list => list.getEntries().forEach(({ value, hadRecentInput }) => {
          if (!hadRecentInput) window.moved += value;
        })).observe({ type: "layout-shift", buffered: true });"""
    )
    phone = context.new_cdp_session(page)  # slow, so that the page is seen before its scripts run
    phone.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(f"{address}/chapters/{name}.html")
    page.locator("[data-explorer] button.load").first.wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("moved") < 0.05
    context.close()
