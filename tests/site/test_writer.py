"""The page on which the book's writer writes: its numbers against `solutions`, and its use."""

import itertools
import re

import pytest
import torch
from playwright.sync_api import expect

from solutions.cache import KeyValueCache
from solutions.generation import top_k_filter, top_p_filter
from solutions.trained import load_writer, read_plays

PAGE = "chapters/writer.html"


@pytest.fixture(scope="module")
def writer():
    return load_writer("eager")


@pytest.fixture(scope="module")
def play():
    """A passage that the writer has not learned from."""
    return read_plays()[-5000:]


@pytest.fixture(scope="module")
def tab(browser, address):
    """The page in a browser, with a decoder of its own, `decoder`, made of the page's weights."""
    page = browser.new_page()
    page.goto(f"{address}/{PAGE}")
    page.evaluate(
        """async () => {
          for (const name of Object.keys(writerAbout.scripts)) {
            await WorkerModel.script(`${WorkerModel.folder}writer/${name}`);
          }
          const tensors = await unpackHalves(writerAbout, WorkerModel.brought.parts.splice(0));
          window.config = writerAbout.config;
          window.decoder = new WriterDecoder({ config, tensors });
          window.readInPieces = (ids, size) => {
            const cache = new WriterCache(config), found = [];
            for (let i = 0; i < ids.length; i += size) {
              found.push(...decoder.read(ids.slice(i, i + size), cache));
            }
            return found;
          };
        }"""
    )
    yield page
    page.close()


@pytest.mark.parametrize("size", [1, 7, 96], ids=["with the cache", "in pieces", "at once"])
def test_logits_attention_and_cache_are_those_of_solutions(tab, arrays, writer, play, size):
    ids = writer.tokenizer.encode(play[:96])
    cache = KeyValueCache()
    with torch.inference_mode():
        found = writer.model(ids, cache=cache, output_attentions=True)
    told = arrays(
        tab,
        """([ids, size]) => readInPieces(ids, size).flatMap(
          ({ logits, weights, keys, values }) => [logits, weights, keys, values])""",
        [ids[0].tolist(), size],
    )
    kept = [cache.self_attention[i] for i in range(writer.model.config.num_hidden_layers)]
    maps = torch.cat(found.attentions)  # [layer, head, query, key]
    keys = torch.cat([layer.key for layer in kept])  # [layer, head, token, head_size]
    values = torch.cat([layer.value for layer in kept])
    right = torch.cat(
        [
            torch.cat([part.flatten() for part in each])
            for t in range(ids.size(1))
            for each in [
                (found.logits[0, t], maps[:, :, t, : t + 1], keys[:, :, t], values[:, :, t])
            ]
        ]
    )
    torch.testing.assert_close(told, right, rtol=0, atol=1e-3)


def test_longest_text_is_read_to_its_end_and_a_longer_one_is_refused(tab, arrays, writer, play):
    longest = writer.model.config.max_position_embeddings
    ids = writer.tokenizer.encode(play[1000 : 1000 + longest])
    with torch.inference_mode():
        right = writer.model(ids).logits[0, -1]
    told = arrays(
        tab,
        """ids => {
          window.full = new WriterCache(config);
          const [last] = decoder.read(ids, full, ids.length - 1);
          return [last.logits];
        }""",
        ids[0].tolist(),
    )
    torch.testing.assert_close(told, right, rtol=0, atol=1e-3)
    word = tab.evaluate("() => { try { decoder.read([1], full); } catch (e) { return `${e}`; } }")
    assert "513 characters; the model knows 512" in word


def test_greedily_it_writes_the_same_200_characters(tab, writer):
    start = writer.tokenizer.encode("KING RICHARD:")[0].tolist()
    ids = tab.evaluate(
        """start => {
          const ids = [...start], cache = new WriterCache(config);
          let unread = ids;
          while (ids.length < start.length + 200) {
            const [{ logits }] = decoder.read(unread, cache, ids.length - 1);
            const { order } = writerChoosing.distribution(logits, { temperature: 0 });
            ids.push(order[0]);
            unread = [order[0]];
          }
          return ids;
        }""",
        start,
    )
    with torch.inference_mode():  # what is most likely after each character is the next one
        best = writer.model(torch.tensor([ids[:-1]])).logits[0].argmax(dim=-1).tolist()
    assert best[len(start) - 1 :] == ids[len(start) :]
    assert len(ids) == len(start) + 200
    text = writer.tokenizer.decode(torch.tensor(ids))
    assert text.count("And therefore") > 2  # it comes round again, as the page says


def test_probabilities_after_the_filters_are_those_of_solutions(tab, writer):
    contexts = ["My l", "What, ", "KING RICH"]
    with torch.inference_mode():
        rows = [writer.model(writer.tokenizer.encode(text)).logits[:, -1] for text in contexts]
    rows.append(torch.tensor([[1.0, 3.0, 2.0, 3.0, 2.0, 0.0]]))  # with ties
    checked = 0
    for logits in map(torch.Tensor.double, rows):
        for temperature, k, p in itertools.product((0.3, 1.0, 2.5), (1, 3, 65), (0.3, 0.9, 1.0)):
            top_k, top_p = (k if k < 65 else None), (p if p < 1 else None)
            filtered = top_p_filter(top_k_filter(logits / temperature, top_k), top_p)
            found = tab.evaluate(
                "([logits, settings]) => writerChoosing.distribution(logits, settings)",
                [logits[0].tolist(), {"temperature": temperature, "k": k, "p": p}],
            )
            right = filtered.softmax(dim=-1)[0]
            drawn = torch.tensor(found["drawn"], dtype=torch.float64)
            torch.testing.assert_close(drawn, right, rtol=0, atol=1e-9)
            assert [bool(cut) for cut in found["cut"]] == filtered[0].isinf().tolist()
            by_k = [cut == "top-k" for cut in found["cut"]]
            assert by_k == top_k_filter(logits, top_k)[0].isinf().tolist()
            checked += 1
    assert checked == 108
    left = [top_p_filter(logits.double(), 0.9).isfinite().sum().item() for logits in rows[:3]]
    assert left == [3, 20, 1]  # as the page says


def test_characters_are_drawn_as_often_as_they_are_probable(tab):
    shares, apart = tab.evaluate(
        """() => {
          const found = { order: [2, 0, 1, 3], drawn: [0.3, 0.15, 0.55, 0] };
          const many = 40000, numbers = [], counts = [[0, 0, 0, 0], [0, 0, 0, 0]];
          for (let i = 0; i < many; i++) {
            const [bySeed, byPlace] = [writerChoosing.random(i, 7), writerChoosing.random(1, i)];
            counts[0][writerChoosing.draw(found, bySeed)] += 1 / many;
            counts[1][writerChoosing.draw(found, byPlace)] += 1 / many;
            numbers.push(byPlace - 0.5);
          }
          let product = 0; // of neighbours: their correlation
          for (let i = 1; i < many; i++) product += 12 * numbers[i] * numbers[i - 1] / many;
          return [counts, product];
        }"""
    )
    for share in shares:
        assert share == pytest.approx([0.3, 0.15, 0.55, 0], abs=0.01)
    assert abs(apart) < 0.02


def test_weights_are_few_megabytes_and_whole(site):
    scripts = list((site / "_static" / "writer").glob("weights-*.js"))
    assert 5e6 < sum(script.stat().st_size for script in scripts) < 7e6


@pytest.fixture
def reader(opened, address):
    """A reader's page, opened at a state: ``reader("#start=My+l", width=390)``."""

    def open_at(state="", **kwargs):
        return opened(f"{address}/{PAGE}{state}", **kwargs)

    return open_at


def panel(page, name):
    return page.locator(f"[data-explorer={name}]")


def load(page) -> None:
    panel(page, "text").locator("button.load").click()
    expect(panel(page, "text").locator("button.load")).to_be_hidden(timeout=60_000)


def text_of(page) -> str:
    return page.locator(".writer-heard").text_content().removeprefix("The text: ")


def test_page_opens_with_what_comes_next_and_without_the_weights(reader, writer):
    visit = reader()
    choices = panel(visit.page, "next").locator(".writer-choices button")
    with torch.inference_mode():
        logits = writer.model(writer.tokenizer.encode("Time flies like")).logits[0, -1]
    best = logits.softmax(dim=-1).topk(3)
    for i, (p, character) in enumerate(zip(*map(torch.Tensor.tolist, best), strict=True)):
        shown = "␣" if writer.tokenizer.characters[character] == " " else ""
        shown = shown or writer.tokenizer.characters[character]
        said = f"{100 * p:.1f} %" if p < 0.1 else f"{100 * p:.0f} %"
        assert choices.nth(i).inner_text().split("\n")[:2] == [shown, said]
    assert "looks most at" in panel(visit.page, "heads").locator("button").nth(5).get_attribute(
        "aria-label"
    )
    assert [url for url in visit.requests if "weights-" in url] == []
    assert visit.complaints == []


def test_reader_writes_chooses_otherwise_and_comes_back(reader):
    visit = reader("#start=KING+RICH")
    page = visit.page
    load(page)
    choices = panel(page, "next").locator(".writer-choices button")
    expect(choices.first).to_have_attribute("aria-label", re.compile("^“A”: 9.*drawn"))
    page.get_by_role("button", name="Write one character").click()
    expect(page.locator(".explorer-status")).to_contain_text("10 characters, 1 of them written")
    assert text_of(page) == "KING RICHA"

    place = page.get_by_label("place in the text")
    place.focus()
    page.keyboard.press("ArrowLeft")
    expect(choices.first).to_have_attribute("aria-label", re.compile("drawn, in the text"))
    choices.nth(1).click()  # as the model would not
    expect(place).to_have_attribute("aria-valuetext", re.compile("^10 of 10"))
    other = text_of(page)
    assert other.startswith("KING RICH")
    assert not other.endswith("A")

    settings = panel(page, "next")
    settings.get_by_label("top-k").fill("3")
    expect(settings).to_contain_text("3 of the 65 characters can be drawn")
    settings.get_by_label("temperature").fill("0")
    expect(settings).to_contain_text("Greedy: the likeliest character")

    heads = panel(page, "heads")
    heads.get_by_role("button", name="Layer 0, head 0").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("Layer 1, head 1: looks")
    expect(heads.locator("h3")).to_contain_text("Layer 1, head 1")
    cache = panel(page, "cache")
    assert "81,920 bytes for these 10" in cache.inner_text()
    taken = cache.locator("canvas.writer-columns").first.evaluate(
        """canvas => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const columns = new Set();
          data.forEach((number, i) => {
            if (number && i % 4 === 3) columns.add(((i - 3) / 4) % canvas.width);
          });
          return columns.size;
        }"""
    )
    assert taken == 10
    strip = cache.get_by_role("slider").first
    strip.focus()
    page.keyboard.press("End")
    assert "number 64 of 64" in strip.get_attribute("aria-valuetext")

    again = reader(page.url.partition("writer.html")[2]).page
    expect(again.locator(".writer-heard")).to_have_text(f"The text: {other}")
    assert again.get_by_label("top-k").input_value() == "3"
    assert panel(again, "heads").locator("button[aria-pressed=true]").count() == 0  # not read yet
    load(again)
    assert (
        panel(again, "heads")
        .locator("button[aria-pressed=true]")
        .get_attribute("aria-label")
        .startswith("Layer 1, head 1")
    )
    assert visit.complaints == []


def test_the_same_text_with_and_without_the_cache_and_the_times_of_both(reader):
    texts = []
    for cache in ("on", "off"):
        page = reader(f"#start=JULIET%3A;seed=5;cache={cache}").page
        if cache == "off":  # and without a drawing for each character
            page.emulate_media(reduced_motion="reduce")
        page.get_by_role("button", name="Write on", exact=True).click()
        written = panel(page, "text").locator(".writer-text span")
        expect(written.nth(24)).to_be_attached(timeout=60_000)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".explorer-status")).to_contain_text("written here")
        texts.append(text_of(page)[:24])
    assert texts[0] == texts[1]
    assert texts[0].startswith("JULIET:")
    panel(page, "time").get_by_role("button").click()
    word = panel(page, "time").get_by_role("status")
    expect(word).to_contain_text("largest difference", timeout=60_000)
    assert re.search(r"between the two is (0|\d · 10\^−[4-9])\.", word.inner_text())
    rows = panel(page, "time").locator("tbody tr")
    median = [float(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert len(median) == 2
    assert median[1] > 1.5 * median[0] > 0


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "nothing to go on from"),
        ("Zürich, 7 🦟", "never seen “ü”, “7”, “🦟”"),
        ("x" * 513, "513 characters, and the model knows 512"),
        ("x" * 512, "fills all 512 positions"),
    ],
)
def test_what_cannot_be_continued_gets_a_word(tab, text, word):
    if panel(tab, "text").locator("button.load").is_visible():
        load(tab)
    tab.get_by_label("Beginning").fill(text)
    expect(tab.locator(".explorer-status")).to_contain_text(word, timeout=20_000)
    assert tab.get_by_role("button", name="Write one character").is_disabled()
    for each in tab.locator("[data-explorer]").all():
        assert each.inner_text().strip()


def test_ten_quick_presses_write_ten_characters(reader):
    visit = reader("#start=KING+RICH")
    page = visit.page
    one = page.get_by_role("button", name="Write one character")
    one.evaluate(
        "button => { for (let i = 0; i < 10; i++) button.click(); }"
    )  # before it is loaded
    expect(page.locator(".explorer-status")).to_contain_text("10 of them written", timeout=60_000)
    one.evaluate("button => { for (let i = 0; i < 10; i++) button.click(); }")
    expect(page.locator(".explorer-status")).to_contain_text("20 of them written")
    text = text_of(page)
    page.get_by_role("button", name="Back to the beginning").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".explorer-status")).to_contain_text("0 of them written")
    assert page.evaluate("document.activeElement.textContent") == "Back to the beginning"
    page.keyboard.press("Enter")  # it is switched off
    one.focus()
    for _ in range(20):
        page.keyboard.press("Enter")
    expect(page.locator(".explorer-status")).to_contain_text("20 of them written")
    assert text_of(page) == text
    assert visit.complaints == []


def test_what_is_no_seed_gets_a_sentence(reader):
    page = reader().page
    seed = panel(page, "next").get_by_label("seed")
    word = panel(page, "next").locator(".writer-wrong")
    for wrong in ("-5", "2.5", "99999999", ""):
        seed.fill("7")
        expect(word).to_be_empty()
        assert "seed=7" in page.url
        seed.fill(wrong)
        expect(word).to_contain_text("whole number from 0 to 999,999. Until there is one, 7 stays")
        assert seed.get_attribute("aria-invalid") == "true"
        assert "seed=7" in page.url
    page.keyboard.press("Tab")
    expect(seed).to_have_value("7")
    expect(word).to_be_empty()


def test_measuring_says_how_far_it_is_and_can_be_stopped(reader):
    visit = reader(f"#start={'to+be+or+not+' * 30}")
    page = visit.page
    load(page)
    place = panel(page, "time")
    place.get_by_role("button", name="Measure both").click()
    bar = place.get_by_role("progressbar")
    expect(bar).to_be_visible()
    page.wait_for_function("bar => bar.value > 0.02", arg=bar.element_handle(), timeout=60_000)
    place.get_by_role("button", name="Stop").click()
    word = place.get_by_role("status")
    expect(word).to_have_text(re.compile(r"^Stopped.* \b([1-7]|first) length"), timeout=60_000)
    expect(bar).to_be_hidden()
    expect(place.get_by_role("button", name="Measure both")).to_be_visible()
    assert visit.complaints == []


@pytest.mark.parametrize("width", [1366, 390])
def test_the_text_is_seen_together_with_what_it_is_chosen_from(reader, width):
    page = reader(f"#start={'What,+my+good+lord%3F%0A' * 12}", width=width).page
    load(page)
    page.set_viewport_size({"width": width, "height": 844})
    top = ".writer-choices" if width > 600 else ".explorer-actions"
    page.evaluate("which => document.querySelector(which).scrollIntoView()", top)
    seen = {
        name: page.locator(which).first.bounding_box()
        for name, which in {
            "buttons": ".explorer-actions",
            "text": ".writer-text",
            "list": ".writer-choices",
        }.items()
    }
    for box in seen.values():
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 844
    beside = seen["list"]["x"] >= seen["text"]["x"] + seen["text"]["width"]
    assert beside == (width > 600)
    rows = page.locator(".writer-choices li")
    assert rows.count() == 10  # however many of them are named, so that nothing moves
