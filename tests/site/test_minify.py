"""Pages with fewer elements look the same."""

import base64
import io
import re

import pytest
from PIL import Image, ImageChops

from _ext.assets import minify
from _ext.site.contents import pages

MOST_ELEMENTS = 6500  # of the longest page; it had 10,100


def picture(colours, ink=lambda i: (i % 256, 7 * i % 256, i // 256)):
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 255))
    image.putdata([(*ink(i % colours), 255) for i in range(1600)])
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=0)
    return image, file.getvalue()


def test_names_and_brackets_of_code_lose_their_elements_and_nothing_else_does():
    words = {"n": "f", "p": "(", "mi": "1"}
    spans = [f'<span class="{name}">{word}</span>' for name, word in words.items()]
    prose = '<p><span class="n">f</span></p>'
    page = f"<pre><span></span>{''.join(spans)}</pre>{prose}"
    assert minify.minified(page) == f"<pre><span></span>f({spans[2]}</pre>{prose}"


def test_groups_that_say_nothing_are_taken_out_of_drawings():
    drawing = '<svg><g><g id="a"><g><path d="M 0"/></g></g><g/><g class="b"/></g></svg>'
    left = '<svg><g id="a"><path d="M 0"/></g><g/><g class="b"/></svg>'
    assert minify.minified(f"<g>{drawing}</g>") == f"<g>{left}</g>"


def test_a_picture_of_few_colours_gets_a_palette():
    image, file = picture(257, ink=lambda i: (min(i, 255), 9, i // 256))
    page = f'<image href="data:image/png;base64, {base64.b64encode(file).decode()}"/>'
    smaller = base64.b64decode(re.search('base64,([^"]*)', minify.minified(page))[1])
    assert len(smaller) < len(file) / 2
    again = Image.open(io.BytesIO(smaller))
    assert again.mode == "P"
    differences = ImageChops.difference(again.convert("RGB"), image.convert("RGB")).getextrema()
    assert max(most for _, most in differences) <= 2


def test_a_picture_of_many_colours_and_one_that_is_seen_through_stay_as_they_are():
    _, many = picture(1600)
    through = io.BytesIO()
    Image.new("RGBA", (40, 40), (1, 2, 3, 4)).save(through, "PNG")
    for file in (many, through.getvalue()):
        assert minify.with_palette(file) == file


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_without_elements_has_the_colour_that_they_had(opened, address, scheme):
    page = opened(f"{address}/chapters/05_positions.html", scheme=scheme).page
    inks = page.evaluate(
        """() => {
          const ink = element => getComputedStyle(element).color;
          const code = document.querySelector(".cell_input pre");
          return ["n", "nn", "p", "w"].map(name => {
            const word = Object.assign(document.createElement("span"), { className: name });
            code.append(word);
            return [ink(word), ink(code)];
          });
        }"""
    )
    assert [named for named, plain in inks if named != plain] == []


def test_no_page_has_too_many_elements(site):
    counts = {
        page: len(re.findall("<[a-z]", (site / f"{page}.html").read_text(encoding="utf-8")))
        for page in pages()
    }
    assert min(counts.values()) > 100
    assert max(counts.values()) < MOST_ELEMENTS
