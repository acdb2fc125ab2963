"""What the pages that run a model have in common: panels, a button that loads it, linked states."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

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
