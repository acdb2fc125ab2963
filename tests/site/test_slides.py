"""The decks: what a lecturer's browser shows of each slide, without a site and a network."""

import re

import pytest

from _ext.exports import slides

WIDTH, HEIGHT = 1280, 720
OVERFLOWS = """() => {
  const seen = [];
  const scale = Reveal.getScale();
  for (let i = 0; i < Reveal.getTotalSlides(); i++) {
    Reveal.slide(i);
    const slide = Reveal.getCurrentSlide().querySelector(".slide");
    const box = slide.getBoundingClientRect();
    const shown = slide.querySelectorAll("h1, h2, p, li, pre, table, math, figure, svg text");
    const worst = {right: 0, bottom: 0, text: "", smallest: 99};
    for (const each of shown) {
      const part = each.getBoundingClientRect();
      const inside = Math.max(0, each.scrollWidth - each.clientWidth - 1) || 0;
      const right = Math.max((part.right - box.right) / scale, each.tagName === "PRE" ? inside : 0);
      const bottom = (part.bottom - box.bottom) / scale;
      const text = each.textContent.trim().slice(0, 40);
      if (right > worst.right) Object.assign(worst, {right, text});
      if (bottom > worst.bottom) Object.assign(worst, {bottom, text});
      if (each.tagName === "text" && each.textContent.trim()) {
        const {a, b} = each.getScreenCTM();  // some stand upright
        const size = parseFloat(getComputedStyle(each).fontSize) * Math.hypot(a, b) / scale;
        worst.smallest = Math.min(worst.smallest, size);
      }
    }
    seen.push({...worst, title: slide.querySelector("h1, h2").textContent});
  }
  return seen;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slides")
    slides.write(folder)
    return folder


@pytest.fixture(scope="module")
def visit(browser, folder):
    """Open a deck from the disk, as a lecturer does, at the size that it was made for."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    complaints = []

    def open_deck(name):
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else 0)
        page.goto((folder / f"{name}.html").as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        return page, complaints

    yield open_deck
    context.close()


@pytest.mark.parametrize("number", slides.decks())
def test_nothing_leaves_its_slide_and_what_is_drawn_can_be_read(visit, number):
    page, complaints = visit(number)
    for at, slide in enumerate(page.evaluate(OVERFLOWS), start=1):
        where = f"{number}, slide {at}, {slide['title']}: {slide['text']}"
        assert slide["right"] < 2, f"{where} is {slide['right']:.0f} pixels too wide"
        assert slide["bottom"] < 2, f"{where} is {slide['bottom']:.0f} pixels too low"
        assert slide["smallest"] >= 11, f"{where}: letters of {slide['smallest']:.1f} pixels"
    assert complaints == []
    page.close()


def test_a_deck_is_gone_through_with_the_keyboard_and_its_notes_open(visit):
    page, complaints = visit("01")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getState().indexh") == 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("Reveal.getState().indexh") == 0
    page.evaluate("Reveal.slide(7)")  # a Predict, and its answer with the next key
    answer = page.locator("section.present .fragment")
    assert answer.count() == 1
    assert not answer.evaluate("e => e.classList.contains('visible')")
    page.keyboard.press("ArrowRight")
    assert answer.evaluate("e => e.classList.contains('visible')")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value
    notes.wait_for_load_state()
    text = page.locator("section.present aside.notes").first.inner_text()
    shown = notes.locator("body")
    shown.wait_for()
    words = page.evaluate("document.querySelector('section.present aside.notes').textContent")
    start = re.sub(r"\s+", " ", words.strip())[:30]
    notes.wait_for_function(
        "start => document.body.textContent.replace(/\\s+/g, ' ').includes(start)", arg=start
    )
    assert complaints == []
    assert text is not None
    page.close()


def test_a_deck_is_readable_in_the_dark(browser, folder):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto((folder / "01.html").as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    ground, ink = page.evaluate(
        "() => [getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('.slide h1')).color]"
    )
    lightness = [sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in (ground, ink)]
    assert lightness[0] < 60
    assert lightness[1] > 180
    context.close()


def test_a_deck_asks_no_other_host(folder):
    for file in folder.rglob("*"):
        if file.suffix in (".html", ".css"):
            text = file.read_text(encoding="utf-8")
            found = re.findall(r'(?:src|href)="https?://[^"]*"|url\(["\']?https?:', text)
            links = re.findall(r'<a [^>]*href="https?://[^"]*"', text)
            assert len(found) == len(links), (file.name, found[:3])
