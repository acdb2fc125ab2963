"""A reader with a browser: the built book, served on localhost and opened in headless Chromium.

The book must be built before (`make test` does). A page is opened once for each width and colour
scheme; the tests of this folder share these visits and ask different questions about them.
"""

import base64
import functools
import http.server
import sys
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "chapters"))

from _ext.site.chromium import ARGUMENTS, program
from _ext.site.contents import SITE, missing

NARROW = 600  # pixels: below it a visit is one on a phone


@dataclass
class Visit:
    """A page as one reader sees it, with what it asked for and complained about on the way."""

    page: Page
    scheme: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built book."""
    if lacking := missing(SITE):
        pytest.fail(f"The book is not built ({lacking[0]} is missing): run `make book` first.")
    return SITE


@pytest.fixture(scope="session")
def address(site):
    """Where the built book is served while the tests run."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Silent, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")  # its event loop must not run on into other tests
def browser():
    """Headless Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        yield chromium
        chromium.close()


def open_page(
    browser, url: str, width: int = 1366, scheme: str = "light", always_new: bool = False
) -> Visit:
    """Open an address as a reader who has never been here, and wait until all is drawn.

    Who is always new comes to the next page without having kept anything of this one.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        permissions=["clipboard-read", "clipboard-write"] if url.startswith("http") else [],
    )
    if always_new:
        context.add_init_script("localStorage.clear(); sessionStorage.clear()")
    visit = Visit(context.new_page(), scheme)

    def note_complaint(message):
        if message.type in ("error", "warning"):
            visit.complaints.append(message.text)

    visit.page.set_default_timeout(60_000)
    visit.page.on("request", lambda request: visit.requests.append(request.url))
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("console", note_complaint)
    go_to(visit, url, scheme)
    return visit


def go_to(visit: Visit, url: str, scheme: str) -> None:
    """Open an address in the tab of a visit, and wait until all is drawn."""
    visit.page.emulate_media(color_scheme=scheme)
    visit.scheme = scheme
    visit.requests.clear()
    visit.complaints.clear()
    visit.page.goto(url)
    visit.page.evaluate("document.fonts.ready")


# From one version of Chromium to another a line may move by a pixel, and letters by parts of one:
# six versions apart, no pixel differed in this sense. Of faults, the smallest that we made (a thin
# bar in a table, a tick less, half of a brace) changed 15 and more by 24 of 255.
TOLERANCE, LIMIT = 24, 8


def unlike(old: Image.Image, new: Image.Image) -> Image.Image:
    """Return in white where one picture has a colour that the other has at no pixel beside it."""

    def beyond(one: Image.Image, other: Image.Image) -> Image.Image:
        darkest, lightest = (kind(3) for kind in (ImageFilter.MinFilter, ImageFilter.MaxFilter))
        return ImageChops.lighter(
            ImageChops.subtract(other.filter(darkest), one),
            ImageChops.subtract(one, other.filter(lightest)),
        )

    where = Image.new("L", old.size)
    changed = ImageChops.difference(old, new).getbbox()
    if changed is None:
        return where
    left, top, right, bottom = changed  # to filter only what changed takes a fraction of the time
    box = max(left - 1, 0), max(top - 1, 0), min(right + 1, old.width), min(bottom + 1, old.height)
    old, new = old.crop(box), new.crop(box)
    found = ImageChops.lighter(beyond(old, new), beyond(new, old))
    colours = [colour.point(lambda value: 255 * (value > TOLERANCE)) for colour in found.split()]
    where.paste(ImageChops.lighter(ImageChops.lighter(*colours[:2]), colours[2]), box)
    return where


def on_ground(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Lay a picture on a ground of the colour of its corner."""
    ground = Image.new("RGB", size, picture.getpixel((0, 0)))
    ground.paste(picture, (0, 0))
    return ground


def how_different(old: Image.Image | None, new: Image.Image) -> tuple[str, Image.Image | None]:
    """Say in words how two pictures differ, and show where; in no words if they look the same.

    A part of a page may begin within a pixel: what is cut at the edges does not count.
    """
    if old is None:
        return "there is no picture of it yet", None
    size = tuple(map(max, old.size, new.size))
    where = unlike(*(on_ground(each, size) for each in (old, new)))
    if max(abs(was - now) for was, now in zip(old.size, new.size, strict=True)) > 1:
        was, now = (f"{each.width} by {each.height} pixels" for each in (old, new))
        return f"it was {was}, and is {now}", where
    inside = where.crop((1, 1, min(old.width, new.width) - 1, min(old.height, new.height) - 1))
    number = inside.histogram()[255]
    return (f"{number} of {new.width * new.height} pixels differ" if number > LIMIT else ""), where


@pytest.fixture(scope="session")
def difference():
    """How two pictures differ, in words, and where: ``difference(old, new)``."""
    return how_different


@pytest.fixture(scope="session")
def arrays():
    """All numbers of the Float32Array that a script returns: ``arrays(page, script, argument)``."""

    def read_arrays(page: Page, script: str, argument=None) -> torch.Tensor:
        told = page.evaluate(
            f"async argument => {{ const arrays = await ({script})(argument);"
            + """
              const bytes = new Uint8Array(await new Blob(arrays).arrayBuffer());
              let all = "";
              for (let i = 0; i < bytes.length; i += 9999) {
                all += String.fromCharCode(...bytes.subarray(i, i + 9999));
              }
              return btoa(all);
            }""",
            argument,
        )
        return torch.from_numpy(np.frombuffer(base64.b64decode(told), "<f4").copy())

    return read_arrays


def change_over(visit: Visit, scheme: str) -> None:
    """Let the reader's system change to a light or dark scheme, and wait until all is drawn."""
    if visit.scheme == scheme:
        return
    page = visit.page
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=scheme)
    page.evaluate(
        """() => new Promise(drawn => requestAnimationFrame(() => {
          document.getAnimations()
            .filter(animation => animation.effect.getComputedTiming().endTime !== Infinity)
            .forEach(fading => fading.finish());
          drawn();
        }))"""
    )
    visit.scheme = scheme


def wait_until_quiet(visit: Visit) -> None:
    """Wait until nothing has been asked for in half a second: what is asked for late is noted.

    Playwright's own "networkidle" is not always told, once in some hundred pages.
    """
    for _ in range(60):
        before = len(visit.requests)
        visit.page.wait_for_timeout(500)
        if len(visit.requests) == before:
            return
    pytest.fail(f"{visit.page.url} goes on asking: {visit.requests[-3:]}")


@pytest.fixture
def opened(browser):
    """Open a page for one test, which may do with it what it likes: ``opened(url, width=390)``."""
    visits = []

    def open_for_this_test(url: str, **kwargs) -> Visit:
        visits.append(open_page(browser, url, **kwargs))
        return visits[-1]

    yield open_for_this_test
    for visit in visits:
        visit.page.context.close()


@pytest.fixture(scope="module")
def visit(browser, address, site):
    """A page as first seen, shared by all tests of it: ``visit("chapters/index", 390, "dark")``.

    It is opened once for each width: on a phone, from a folder, in light colours; on a laptop, from
    a server, in dark ones. The other scheme is what a reader sees whose system changes over. Each
    width has one tab, for a new one takes as long as what is opened in it.
    """
    tabs: dict[int, Visit] = {}
    visits: dict[int, tuple[str, Visit]] = {}

    def visit_page(page: str, width: int = 1366, scheme: str = "light") -> Visit:
        if width not in visits or visits[width][0] != page:
            if width < NARROW:
                url, own = (site / f"{page}.html").as_uri(), "light"
            else:
                url, own = f"{address}/{page}.html", "dark"
            if width in tabs:
                tabs[width].page.mouse.move(-9, -9)  # away from what was clicked
                go_to(tabs[width], url, own)
            else:
                tabs[width] = open_page(browser, url, width, own, always_new=True)
            seen = tabs[width]
            wait_until_quiet(seen)
            # What a test asks for later, as axe does, is not the page's doing.
            seen = replace(seen, requests=list(seen.requests), complaints=list(seen.complaints))
            visits[width] = page, seen
        tab, seen = tabs[width], visits[width][1]
        requests, complaints = len(tab.requests), len(tab.complaints)
        change_over(seen, scheme)
        seen.requests += tab.requests[requests:]
        seen.complaints += tab.complaints[complaints:]
        return seen

    return visit_page
