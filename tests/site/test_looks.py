"""Pages look as they did: some fifty parts of them, kept as pictures in `looks/`.

Other tests read words and numbers, and see neither a root without its sign nor a chart without a
bar. `make looks` takes those pictures anew that look different, and writes a page with the old ones
beside the new, to look at before they are committed.
"""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import matplotlib
import pytest
from nbgrader.server_extensions.formgrader import handlers
from PIL import Image, ImageChops
from playwright.sync_api import Page, expect, sync_playwright

from _ext.site.chromium import ARGUMENTS, program
from _ext.site.contents import ROOT

KEPT = Path(__file__).parent / "looks"
TAKEN = ROOT / "_build" / "looks"
ANEW = os.environ.get("LOOKS") == "new"
PHONE, LAPTOP = 390, 1366


def load_the_model(page: Page) -> None:
    page.locator("button.load").first.click()
    expect(page.locator("button.load:visible")).to_have_count(0, timeout=60_000)
    expect(page.locator(".explorer-status")).not_to_contain_text("Loading", timeout=60_000)
    page.mouse.move(0, 0)


def open_two_choices(page: Page) -> None:
    for choice in page.locator(".quiz").first.locator("summary").all()[:2]:
        choice.click()


def open_two_hints(page: Page) -> None:
    for title in page.locator(".admonition.toggle > .admonition-title").all()[:2]:
        title.click()


def open_the_menu(page: Page) -> None:
    page.locator("button.primary-toggle:visible").click()
    page.locator(".bd-sidebar-primary nav a").first.wait_for()


def point_at_a_term(page: Page) -> None:
    page.locator(".bd-article a.term").first.hover()


def go_to_the_mistake(page: Page) -> None:
    page.get_by_text("Likely mistake").scroll_into_view_if_needed()


def search(page: Page) -> None:
    page.locator(".bd-search-container input[type=search]").fill("causal mask")
    page.locator("#search-results mark").first.wait_for()


@dataclass(frozen=True)
class Look:
    """A part of a page, as it looks at some width when something was done before.

    Without a part it is what the window shows. A page is one of the book, or of the graded course.
    """

    name: str
    page: str
    part: str = ""
    width: int = LAPTOP
    scheme: str = "light"
    first: Callable[[Page], None] | None = None


def seen(name: str, page: str, part: str, *others: int | str, first=None) -> list[Look]:
    """A part on a laptop in light colours, and in `others`: on a phone, in the dark scheme."""
    usual = Look(name, page, part, first=first)
    return [usual] + [
        replace(usual, name=f"{name}-{other}", **{"width" if other == PHONE else "scheme": other})
        for other in others
    ]


def figure(label: str) -> str:
    return f"figure:has(> svg[aria-label^='{label}'])"


def playground(name: str) -> str:
    return f"[data-playground={name}]"


FEEDBACK = "feedback/ada/01_simple_attention/simple_attention"
SEEN = [
    # name, page, part of it, other widths and schemes
    seen("first-page", "chapters/index", "", "dark", PHONE),
    seen("menu", "chapters/index", "", PHONE, first=open_the_menu)[1:],
    seen("equation-1.1", "chapters/01_simple_attention", "#equation-eq-attention", "dark", PHONE),
    seen("bracket", "chapters/03_feed_forward", "div.math:has(mo[stretchy=true])"),
    seen("braces", "chapters/10_smaller_cache", "div.math:has(munder > mo[stretchy=true])"),
    seen("sum", "chapters/05_positions", "div.math:has(munderover)"),
    seen("bars", "chapters/04_normalization", "#equation-eq-layer-norm"),
    seen("table", "chapters/01_simple_attention", ".course-table-frame >> nth=0", "dark"),
    seen("wide-table", "chapters/03_feed_forward", ".course-table-frame >> nth=0", PHONE),
    seen("symbols", "chapters/01_simple_attention", ".pst-scrollable-table-container", PHONE),
    seen("code", "chapters/01_simple_attention", ".cell:not([class*=tag_]) >> nth=2", "dark"),
    seen("heat-map", "chapters/01_simple_attention", figure("Dot products of the five"), "dark"),
    seen("drawing", "chapters/01_simple_attention", figure("Scaled dot-product"), "dark", PHONE),
    seen("curves", "chapters/05_positions", figure("Cosine against distance"), "dark"),
    seen("bar-chart", "chapters/08_writing", figure("Two bars of length 1")),
    seen("neuron-view", "chapters/01_attention_function", "[id^=bertviz-]"),
    seen("quiz", "chapters/02_multi_head", ".quiz >> nth=0", "dark", first=open_two_choices),
    seen("hints", "chapters/index", ".admonition.toggle >> nth=0", first=open_two_hints),
    seen("term", "chapters/01_simple_attention", "", first=point_at_a_term),
    seen("opening", "chapters/index", playground("opening"), "dark", PHONE),
    seen("attention", "chapters/01_simple_attention", playground("attention"), "dark", PHONE),
    seen("heads", "chapters/02_multi_head", playground("heads")),
    seen("neurons", "chapters/03_neurons", playground("neurons")),
    seen("stream", "chapters/04_training", playground("stream")),
    seen("rotary", "chapters/05_positions", playground("rotary")),
    seen("padding", "chapters/06_encoder", playground("padding")),
    seen("threshold", "chapters/07_fine_tuning", playground("threshold"), "dark"),
    seen("sampling", "chapters/08_writing", playground("sampling")),
    seen("merges", "chapters/09_tokenizers", playground("merges")),
    seen("order", "chapters/11_looking_inside", playground("order")),
    seen("explorer", "chapters/explorer", "[data-explorer=sentences]", PHONE),
    seen(
        "explorer-heads", "chapters/explorer", "[data-explorer=heads]", "dark", first=load_the_model
    ),
    seen("writer", "chapters/writer", "[data-explorer=text]", PHONE),
    seen("writer-loaded", "chapters/writer", "[data-explorer=text]", first=load_the_model),
    seen("search", "search", "", PHONE, first=search),
    seen("feedback", FEEDBACK, "", "dark"),
    seen("mistake", FEEDBACK, ".output_wrapper:has-text('Likely mistake')", "dark", PHONE),
    seen("report", "reports/01_simple_attention", "body"),
    seen("course", "reports/course", "body", "dark"),
    seen("formgrader", "formgrader", "", first=go_to_the_mistake),
]
# A page that is open is used again.
LOOKS = sorted(
    chain.from_iterable(SEEN),
    key=lambda look: (look.page, look.width, look.scheme, bool(look.first)),
)

# ---- How a picture is taken ----------------------------------------------------------------------

# Letters come with matplotlib, at the version that is pinned: they are the same on every machine.
ONLY_THESE_FONTS = """<fontconfig>
  <dir>{folder}</dir><cachedir>{cache}</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>"""
THE_SAME_EVERYWHERE = [
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
]
# What stays on the screen would lie over a part, and how long something took is never the same.
STYLE = """
.bd-header-article, .header-article, .bd-sidebar, .pst-back-to-top { position: static !important; }
.explorer-status { display: none !important; }
"""
WINDOW = 1000  # pixels high: as the highest part


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The folder of a course in which one wrong submission was graded."""
    folder = tmp_path_factory.mktemp("course")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("graded.py"))],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "formgrader").mkdir()
    (folder / "formgrader" / "static").symlink_to(handlers.static_path)
    return folder


@pytest.fixture(scope="module")
def artist(tmp_path_factory):
    """A browser that draws the same on every machine."""
    folder = tmp_path_factory.mktemp("fonts")
    fonts = Path(matplotlib.get_data_path(), "fonts", "ttf")
    (folder / "fonts.conf").write_text(ONLY_THESE_FONTS.format(folder=fonts, cache=folder))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program(),
            args=[*ARGUMENTS, *THE_SAME_EVERYWHERE],
            env={**os.environ, "FONTCONFIG_FILE": str(folder / "fonts.conf")},
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def picture_of(artist, address, site, request):
    """Take the picture of a look: ``picture_of(look)``; its page stays open for the next one."""
    tabs: dict[int, Page] = {}
    there: dict[int, tuple] = {}
    taken: dict[Look, Image.Image] = {}

    def tab_at(look: Look) -> Page:
        if look.width not in tabs:
            context = artist.new_context(
                viewport={"width": look.width, "height": WINDOW},
                reduced_motion="reduce", locale="en-US", timezone_id="UTC",
            )  # fmt: skip
            context.add_init_script("localStorage.clear(); sessionStorage.clear()")
            context.route("**/formgrader/api/**", lambda route: route.fulfill(json=[]))
            tabs[look.width] = context.new_page()
        tab = tabs[look.width]
        tab.emulate_media(color_scheme=look.scheme)
        ours = (site / f"{look.page}.html").exists()
        if there.get(look.width) != (look.page, None) or look.first:
            tab.mouse.move(0, 0)
            folder = address if ours else request.getfixturevalue("graded").as_uri()
            tab.goto(f"{folder}/{look.page}.html")
            tab.add_style_tag(content=STYLE)
            if look.first:
                look.first(tab)
            tab.evaluate("document.fonts.ready")
            there[look.width] = look.page, look.first
        if not look.part and not look.first:
            tab.evaluate("scrollTo(0, 0)")
        if ours:
            tab.wait_for_selector(f"html[data-theme={look.scheme}]")
        return tab

    def take(look: Look, fault: str = "") -> Image.Image:
        if look in taken and not fault:
            return taken[look]
        tab = tab_at(look)
        target = tab.locator(look.part).first if look.part else tab
        before = None
        for _ in range(50):  # until it is the same twice
            code = target.screenshot(animations="disabled", style=fault)
            if code == before or fault:
                picture = Image.open(io.BytesIO(code)).convert("RGB")
                return picture if fault else taken.setdefault(look, picture)
            before = code
        pytest.fail(f"{look.name} does not stand still.")

    yield take
    for tab in tabs.values():
        tab.context.close()


# ---- What came of it -----------------------------------------------------------------------------

MOST_BYTES = 2_000_000


@pytest.fixture(scope="module")
def sheet():
    """What differs, by name; after `make looks` as a page with all pictures."""
    shutil.rmtree(TAKEN, ignore_errors=True)
    TAKEN.mkdir(parents=True)
    KEPT.mkdir(exist_ok=True)
    found: dict[str, str] = {}
    yield found
    if ANEW:
        rows = [
            f"<h2>{name}</h2><p>{found[name] or 'looks as it did'}</p>"
            + "".join(f'<img src="{file.as_uri()}">' for file in files_of(name) if file.exists())
            for name in sorted(found, key=lambda name: not found[name])
        ]
        style = "body { background: #ccc } img { max-width: 32%; margin: 2px; vertical-align: top }"
        page = f"<!doctype html><meta charset=utf-8><style>{style}</style>{''.join(rows)}"
        (TAKEN / "index.html").write_text(page, encoding="utf-8")
        print(f"\n{sum(map(bool, found.values()))} pictures are new: see {TAKEN / 'index.html'}")


def files_of(name: str) -> list[Path]:
    """The old picture, the new one, and where they differ."""
    return [TAKEN / f"{name}.{kind}.png" for kind in ("old", "new", "difference")]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.name)
def test_it_looks_as_it_did(look, picture_of, difference, sheet):
    kept, new = KEPT / f"{look.name}.webp", picture_of(look)
    old = Image.open(kept).convert("RGB") if kept.exists() else None
    sheet[look.name], where = difference(old, new)
    if sheet[look.name] or ANEW:
        for picture, file in zip((old, new, where), files_of(look.name), strict=True):
            if picture:
                picture.save(file)
    if not ANEW:
        assert not sheet[look.name], (
            f"{look.name} looks different: {sheet[look.name]}. Look at "
            f"{TAKEN}/{look.name}.{{old,new,difference}}.png. If it should look so: `make looks`."
        )
    elif sheet[look.name]:
        new.save(kept, lossless=True, method=6)


def test_there_is_no_picture_of_anything_else_and_all_are_small():
    names = {look.name for look in LOOKS}
    if ANEW:
        for file in KEPT.iterdir():
            if file.stem not in names:
                file.unlink()
    assert {file.stem for file in KEPT.iterdir()} == names
    assert sum(file.stat().st_size for file in KEPT.iterdir()) < MOST_BYTES


def test_a_picture_that_moves_by_a_pixel_is_the_same_and_one_that_moves_by_more_is_not(difference):
    for name in ("equation-1.1", "curves", "drawing-dark"):
        old = Image.open(KEPT / f"{name}.webp").convert("RGB")
        for near in (old, ImageChops.offset(old, 1, 1)):
            assert difference(old, near)[0] == ""
        for other in (ImageChops.offset(old, 3, 0), old.crop((0, 0, old.width - 2, old.height))):
            assert difference(old, other)[0]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("equation-1.1", "msqrt { display: contents }"),  # a root without its sign
        ("bracket", "mo { math-style: compact; font-family: serif }"),
        ("table", "td:last-child { visibility: hidden }"),
        ("attention", "form :is(label, button):last-child { visibility: hidden }"),
        ("attention", "td:nth-child(5) * { background: none !important }"),
        ("bar-chart", "svg path:nth-of-type(9) { visibility: hidden }"),
        ("curves-dark", "svg * { stroke: #1a80bb !important }"),
        ("first-page", "a { color: #2f80f0 !important }"),
        ("first-page", ".theme-switch-button { visibility: hidden }"),
    ],
)
def test_a_fault_is_seen(picture_of, difference, name, fault):
    (look,) = [look for look in LOOKS if look.name == name]
    assert difference(picture_of(look), picture_of(look, fault))[0]
