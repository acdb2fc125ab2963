"""Tables of every page: none is cut where there is room, and on a phone what is cut shows it."""

import pytest

from _ext.site.contents import pages

PAGES = pages()
# Too wide for the column of a small laptop, by the head of the table, and why it has to be.
WIDE: dict[str, str] = {}
# What stands folded is measured open.
FRAMES = """async () => {
  const article = document.querySelector(".bd-article");
  article.querySelectorAll("details").forEach(folded => { folded.open = true; });
  article.querySelectorAll(".toggle-hidden").forEach(e => e.classList.remove("toggle-hidden"));
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const frames = ".course-table-frame, .pst-scrollable-table-container";
  const tables = [...article.querySelectorAll("table")]
    .filter(table => !table.closest("[data-explorer], .playground, [id^='bertviz-']"))
    .map(table => [table, table.closest(frames) ?? table.parentElement]);
  const look = () => tables.map(([table, frame]) => ({
    fade: parseFloat(getComputedStyle(frame).getPropertyValue("--fade")),
    mask: getComputedStyle(frame).maskImage,
    left: table.rows[table.rows.length - 1].cells[0].getBoundingClientRect().left,
  }));
  await drawn();
  const before = look();
  tables.forEach(([, frame]) => { frame.scrollLeft = frame.scrollWidth; });
  await drawn();
  const after = look();
  return tables.map(([table, frame], i) => ({
    head: table.rows[0].innerText.replace(/\\s+/g, " "),
    width: table.getBoundingClientRect().width,
    cut: frame.scrollWidth - frame.clientWidth,
    before: before[i],
    after: after[i],
  }));
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
    assert all(table["width"] > 50 for table in found)  # none is folded away
    cut = {table["head"]: table["cut"] for table in found if table["cut"] > 0}
    assert {head: by for head, by in cut.items() if head not in WIDE} == {}


@pytest.mark.parametrize("page", PAGES)
def test_what_is_cut_on_a_phone_fades_out_and_keeps_its_first_column(tables, page):
    for table in tables(page, 390):
        before, after = table["before"], table["after"]
        if table["cut"] <= 0:
            assert before["fade"] == 0, table
            continue
        assert "gradient" in before["mask"], table
        assert before["fade"] >= 24, table
        assert after["fade"] == 0, table  # nothing more on the right
        assert after["left"] == pytest.approx(before["left"], abs=1), table
