"""Tables of every page: none is cut where there is room, and on a phone what is cut shows it."""

import pytest
from pages import pages

PAGES = pages()
# Too wide for the column of a small laptop, by the head of the table, and why it has to be.
WIDE: dict[str, str] = {}
# What stands folded is measured open, and stays so: no other test looks at this page.
FRAMES = """() => {
  document.querySelectorAll("details").forEach(folded => { folded.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(e => e.classList.remove("toggle-hidden"));
  const frame = ".course-table-frame, .pst-scrollable-table-container";
  const found = [];
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.closest("[data-explorer], .playground, [id^='bertviz-']")) continue;
    const box = table.closest(frame) ?? table.parentElement;
    const first = table.rows[table.rows.length - 1].cells[0];
    const look = () => parseFloat(getComputedStyle(box).getPropertyValue("--fade"));
    const left = () => first.getBoundingClientRect().left - box.getBoundingClientRect().left;
    const cut = box.scrollWidth - box.clientWidth;
    const [fade, place] = [look(), left()];
    box.scrollLeft = cut;
    found.push({
      head: table.rows[0].innerText.replace(/\\s+/g, " "), cut, fade,
      mask: getComputedStyle(box).maskImage, end: look(), moved: left() - place,
      drawn: table.getBoundingClientRect().width > 0,
    });
    box.scrollLeft = 0;
  }
  return found;
}"""


@pytest.fixture
def tables(opened, site):
    """The tables of a page, open and at rest, as a reader of this width meets them."""

    def measure(page, width):
        seen = opened((site / f"{page}.html").as_uri(), width=width).page
        return seen.evaluate(FRAMES)

    return measure


@pytest.mark.parametrize("page", PAGES)
def test_no_table_is_cut_on_a_small_laptop(tables, page):
    found = tables(page, 1280)
    assert all(table["drawn"] for table in found)
    cut = {table["head"]: table["cut"] for table in found if table["cut"] > 0}
    assert {head: by for head, by in cut.items() if head not in WIDE} == {}


@pytest.mark.parametrize("page", PAGES)
def test_what_is_cut_on_a_phone_fades_out_and_keeps_its_first_column(tables, page):
    for table in tables(page, 390):
        if table["cut"] <= 0:
            assert table["fade"] == 0, table
            continue
        assert "gradient" in table["mask"], table
        assert table["fade"] >= 24, table
        assert table["end"] == 0, table  # nothing more on the right
        assert table["moved"] == pytest.approx(0, abs=1), table
