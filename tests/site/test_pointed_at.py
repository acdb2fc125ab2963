"""What is pointed at, or has the keyboard, can still be read: axe sees neither."""

import pytest

# One element of each look; a link in a heading is told from one in a paragraph by its parents.
CHOOSE = """() => {
  const seen = new Map();
  const kind = element => [element, element.parentElement, element.parentElement.parentElement]
    .map(each => `${each.localName}.${each.className}`).join(" ");
  for (const element of document.querySelectorAll("a[href], button, summary, label, [tabindex]")) {
    const box = element.getBoundingClientRect();
    const shown = box.width > 2 && box.height > 2 && element.checkVisibility()
      && getComputedStyle(element).visibility === "visible" && !element.closest("[aria-hidden]");
    const within = box.x >= 0 && box.right <= innerWidth;
    if (shown && within && element.innerText?.trim() && !seen.has(kind(element)))
      seen.set(kind(element), element);
  }
  return [...seen.values()].map((element, i) => (element.dataset.look = i));
}"""
# The least contrast of the words in an element with what is behind them.
CONTRAST = """element => {
  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = colour => {
    const parts = colour.map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const mixed = colours => {
    pixel.clearRect(0, 0, 1, 1);
    for (const colour of colours) { pixel.fillStyle = colour; pixel.fillRect(0, 0, 1, 1); }
    return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const ratio = (one, other) => {
    const [less, more] = [light(one), light(other)].sort((a, b) => a - b);
    return (more + 0.05) / (less + 0.05);
  };
  let least = 21;
  for (const part of [element, ...element.querySelectorAll("*")]) {
    const texts = [...part.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    if (!texts.some(text => text.data.trim()) || !part.checkVisibility()) continue;
    const behind = [];
    for (let each = part; each; each = each.parentElement)
      behind.unshift(getComputedStyle(each).backgroundColor);
    const ground = mixed(["white", ...behind]);
    const ink = mixed([`rgb(${ground})`, getComputedStyle(part).color]);
    least = Math.min(least, ratio(ink, ground));
  }
  return least;
}"""
# It comes when one has read on, and turns back.
BACK_TO_TOP = "#pst-back-to-top { display: block !important }"
ENOUGH = 4.5  # WCAG 1.4.3


@pytest.mark.parametrize("page", ["chapters/index", "chapters/05_positions", "chapters/glossary"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_that_are_pointed_at_or_have_the_keyboard_can_be_read(opened, address, page, scheme):
    tab = opened(f"{address}/{page}.html", scheme=scheme).page
    tab.emulate_media(reduced_motion="reduce", color_scheme=scheme)  # no colour on its way
    tab.add_style_tag(content=BACK_TO_TOP)
    tab.set_default_timeout(10_000)
    weak = {}
    elements = tab.evaluate(CHOOSE)
    assert len(elements) > 10
    tab.keyboard.press("Tab")  # from now on the browser shows where the keyboard is
    for each in elements:
        element = tab.locator(f"[data-look='{each}']")
        for state, reach in {"pointed at": element.hover, "focused": element.focus}.items():
            tab.mouse.move(0, 0)
            reach()
            found = element.evaluate(CONTRAST)
            if found < ENOUGH:
                weak[element.evaluate("e => e.outerHTML.slice(0, 120)"), state] = round(found, 2)
    assert weak == {}
    links = tab.locator("[data-look].term, [data-look].reference")
    assert page == "chapters/glossary" or links.count() > 2
