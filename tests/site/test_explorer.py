"""The page that runs MiniLM in the browser: its numbers against `solutions`, and its use."""

import functools
import http.server
import os
import re
import threading

import pytest
import torch
from explorer import SENTENCES, TABLE
from playwright.sync_api import expect

from solutions import load_checkpoint
from solutions.encoder import Encoder

PAGE = "chapters/explorer.html"
TEXTS = (
    *SENTENCES[:2],
    "the old pilot flies a small plane",
    "she deposited her money at the bank by the river",
    "nobody knows why the chicken crossed the road",
    "the quick brown fox jumps over the lazy dog",
    "attention is all you need",
    "paris is the capital of france and berlin of germany",
    "i didn't expect the spanish inquisition!",
    "what did you eat for breakfast this morning?",
    "he photosynthesized quietly under the rhododendron",
    "the committee postponed its decision until wednesday",
    "to be or not to be, that is the question",
    "a neural network learns from examples",
    "unbelievably, the goldfish survived the earthquake",
    "the trophy does not fit in the suitcase because it is too big",
    "my zebra ate 42 pineapples on tuesday",
    "wittgenstein disagreed with russell about logic",
    "never gonna give you up",
    "colorless green ideas sleep furiously",
)
# A sentence of each script, and what a tokenizer stumbles on.
SCRIPTS = (
    "Zürich, naïve café, Ångström, Þórr, ŁÓDŹ",
    "İstanbul ısı, ΣΊΣΥΦΟΣ, Ὀδυσσεύς, ЁЛКА и ёж, Київ",
    "时间像箭一样飞逝",
    "光陰矢の如し。フルーツ・フライ",
    "시간은 화살처럼 지나간다",
    "ভাষা ও সময়, समय तीर की तरह",
    "வாழைப்பழம்",
    "الوقت يطير كالسهم، أليس كذلك؟",
    "זמן עף כמו חץ",
    "เวลาบินไปเหมือนลูกศร",
    "დრო მიფრინავს, ժամանակը թռչում է",
    "ጊዜ ይበርራል።",
    "𝔗𝔦𝔪𝔢 𝕗𝕝𝕚𝕖𝕤",
    "🦟 flies 👨‍👩‍👧 like 🍌!",
    "a\u200bb\u00adc\ufeffd\u2028e\u00a0f\u3000g\tg\r\nh\0\x07\ufffd",
    "x" * 101,
    "[MASK] [mask] [CLS]x[SEP] [UNK][PAD] [unused1]",
    "don't—stop… “quoted” ‘so’ #1 $5 a_b x^2 ~y `z` <a>|b",
    "unbelievability antidisestablishmentarianism",
    "e\u0301 \u1e9b\u0323 ﬁ Ⅳ ½ ² K \ud7a3 \U00020000 \U0002f800",
    "   ",
    "",
)


@pytest.fixture(scope="module")
def checkpoint():
    return load_checkpoint()


@pytest.fixture(scope="module")
def encoder(checkpoint):
    return Encoder.from_pretrained(checkpoint).requires_grad_(False)


@pytest.fixture(scope="module")
def tab(browser, address):
    """The page in a browser, with a model of its own: `model`, as the page would make it."""
    page = browser.new_page()
    page.goto(f"{address}/{PAGE}")
    page.evaluate(
        """async () => {
          window.model = new ExplorerModel();
          await model.load(explorerAbout, () => {});
          window.told = ({ embeddings, layers }) => [
            embeddings.output, ...layers.map(layer => layer.output),
            ...layers.map(layer => layer.weights)];
        }"""
    )
    yield page
    page.close()


def numbers(found: torch.Tensor, tokens: int, config) -> tuple[torch.Tensor, torch.Tensor]:
    """Return hidden states [layers + 1, token, hidden] and maps [layer, head, query, key]."""
    layers, heads, hidden = (
        config.num_hidden_layers,
        config.num_attention_heads,
        config.hidden_size,
    )
    states, maps = found.split(
        [(layers + 1) * tokens * hidden, layers * heads * tokens**2],
    )
    return (
        states.view(layers + 1, tokens, hidden),
        maps.view(layers, heads, tokens, tokens),
    )


def expected(encoder, ids: list[int], **kwargs) -> tuple[torch.Tensor, torch.Tensor]:
    found = encoder(
        torch.tensor([ids]), output_attentions=True, output_hidden_states=True, **kwargs
    )
    return torch.cat(found.hidden_states), torch.cat(found.attentions)


def broken(encoder, *, scale=True, positions=True, removed=()) -> Encoder:
    """The same encoder with something left out, by way of its weights."""
    state = {name: tensor.clone() for name, tensor in encoder.state_dict().items()}
    size = encoder.config.head_size
    for i in range(encoder.config.num_hidden_layers):
        if not scale:  # queries as much larger as the scale would make the scores smaller
            for kind in ("weight", "bias"):
                packed = state[f"layers.{i}.attention.query_key_value.{kind}"]
                packed[: encoder.config.hidden_size] *= size**0.5
        for layer, head in removed:
            if layer == i:
                state[f"layers.{i}.attention.output.weight"][:, head * size : (head + 1) * size] = 0
    if not positions:
        state["embeddings.position_embeddings.weight"].zero_()
    other = Encoder(encoder.config)
    other.load_state_dict(state)
    return other.eval().requires_grad_(False)


def test_words_are_cut_as_the_tokenizer_cuts_them(tab, checkpoint):
    pieces = [text for text in (*TEXTS, *SCRIPTS) if text]
    texts = [*TEXTS, *SCRIPTS, *(f"{a} {b}" for a in pieces for b in pieces[::5])]
    assert len(texts) > 400
    found = tab.evaluate("texts => texts.map(text => model.tokenizer.encode(text))", texts)
    wrong = [
        text
        for text, ids in zip(texts, found, strict=True)
        if checkpoint.tokenizer(text)["input_ids"] != ids
    ]
    assert wrong == []


@pytest.fixture(scope="module")
def exact(tab, checkpoint, encoder, tmp_path_factory):
    """The page with one more encoder, `exact`: the unrounded weights, and the words in TEXTS."""
    ids = sorted({i for text in TEXTS for i in checkpoint.tokenizer(text)["input_ids"]})
    state = {name: tensor.numpy() for name, tensor in encoder.state_dict().items()}
    state[TABLE] = state[TABLE][ids]
    folder = tmp_path_factory.mktemp("exact")
    content = b"".join(tensor.astype("<f4").tobytes() for tensor in state.values())
    (folder / "weights").write_bytes(content)

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def end_headers(self):
            self.send_header("Access-Control-Allow-Origin", "*")
            super().end_headers()

    handler = functools.partial(Silent, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tab.evaluate(
            """async ({ address, sizes, ids, table }) => {
              const buffer = await (await fetch(address)).arrayBuffer();
              const tensors = {}, rows = new Int32Array(30522).fill(-1);
              let at = 0;
              for (const [name, size] of sizes) {
                tensors[name] = new Float32Array(buffer, at, size);
                at += 4 * size;
              }
              ids.forEach((id, row) => { rows[id] = row; });
              const steps = new Float32Array(ids.length).fill(1);
              window.exact = new ExplorerEncoder({ config: explorerAbout.config, tensors,
                table: { integers: tensors[table], steps, rows } });
            }""",
            {
                "address": f"http://127.0.0.1:{server.server_port}/weights",
                "sizes": [[name, tensor.size] for name, tensor in state.items()],
                "ids": ids,
                "table": TABLE,
            },
        )
        server.shutdown()
    return tab


@pytest.mark.parametrize(
    ("change", "switches"),
    [
        ({}, {}),
        ({"scale": False}, {"scale": False}),
        ({"positions": False}, {"positions": False}),
        ({"removed": [(0, 4), (5, 11)]}, {"removed": [[0, 4], [5, 11]]}),
        ({}, {"lookAhead": False}),
    ],
    ids=["intact", "no scale", "no positions", "without heads", "look back only"],
)
def test_in_float32_states_and_maps_are_those_of_solutions(
    exact, arrays, encoder, checkpoint, change, switches
):
    other = broken(encoder, **change)
    for text in TEXTS[::5] if switches else TEXTS:
        ids = checkpoint.tokenizer(text)["input_ids"]
        mask = torch.ones(1, len(ids), len(ids), dtype=torch.bool)
        mask = mask.tril() if "lookAhead" in switches else mask
        wanted = expected(other, ids, attention_mask=mask)
        told = arrays(
            exact, "([ids, switches]) => told(exact.read(ids, switches))", [ids, switches]
        )
        for found, right in zip(numbers(told, len(ids), encoder.config), wanted, strict=True):
            torch.testing.assert_close(found, right, rtol=0, atol=1e-3)


def test_rounded_weights_change_little(tab, arrays, encoder, checkpoint):
    """What the page itself says of its weights; the numbers stand there."""
    change, cosine, same = [], [], []
    for text in TEXTS:
        ids = checkpoint.tokenizer(text)["input_ids"]
        told = arrays(tab, "async ids => told(await model.read(ids))", ids)
        states, maps = numbers(told, len(ids), encoder.config)
        right_states, right_maps = expected(encoder, ids)
        change.append((maps - right_maps).abs().flatten())
        cosine.append(torch.cosine_similarity(states, right_states, dim=-1).flatten())
        same.append((maps.argmax(-1) == right_maps.argmax(-1)).float().flatten())
    change, cosine, same = torch.cat(change), torch.cat(cosine), torch.cat(same)
    assert change.mean() < 0.0045
    assert change.quantile(0.999) < 0.08
    assert change.max() < 0.16
    assert cosine.min() > 0.98
    assert same.mean() > 0.97


def test_weights_are_few_megabytes(site):
    scripts = list((site / "_static" / "explorer").glob("*.js"))
    assert len(scripts) > 10
    assert 10e6 < sum(script.stat().st_size for script in scripts) < 15e6


def test_twelve_tokens_take_less_than_300_ms(tab, checkpoint):
    ids = checkpoint.tokenizer("the old pilot flies a small plane over town")["input_ids"]
    ids = [*ids[:10], *ids[-2:]]
    assert len(ids) == 12
    times = tab.evaluate(
        """async ids => {
          const times = [];
          for (let i = 0; i < 8; i++) {
            const began = performance.now();
            await model.read(ids);
            times.push(performance.now() - began);
          }
          return times;
        }""",
        ids,
    )
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)  # for each core, of what wants one
    assert min(times) < 300 * max(1, waiting)


@pytest.fixture
def reader(opened, address):
    """A reader's page, opened at a state: ``reader("#layer=0;head=2", width=390)``."""

    def open_at(state="", **kwargs):
        return opened(f"{address}/{PAGE}{state}", **kwargs)

    return open_at


def load(page) -> None:
    page.locator("[data-explorer=sentences] button.load").click()
    expect(page.locator(".explorer-status")).to_contain_text("Read in", timeout=60_000)


def test_page_opens_with_the_two_flies_and_without_the_weights(reader):
    visit = reader()
    page = visit.page
    maps = page.locator(".explorer-grid button")
    assert maps.count() == 72
    assert maps.nth(4).get_attribute("aria-label") == (
        "Layer 0, head 4: flies looks most at time, 0.80"
    )
    cosines, margins = (
        chart.get_attribute("aria-label") for chart in page.locator(".explorer-lines").all()
    )
    assert re.search(r"1st–2nd: 1\.00, .*, 0\.63\. 1st–3rd: 1\.00", cosines)
    assert margins.startswith("Cosine with flew minus cosine with insects")
    assert "insects" in page.locator("[data-explorer=layers]").inner_text()
    assert [url for url in visit.requests if re.search(r"/(weights-\d+|words)\.js", url)] == []


def test_reader_types_chooses_steps_and_breaks(reader):
    visit = reader()
    page = visit.page
    load(page)
    opening = page.locator(".explorer-grid button").nth(4)
    assert "flies looks most at time" in opening.get_attribute("aria-label")

    page.get_by_label("First sentence", exact=True).fill("the cat sat on the mat")
    tokens = page.locator(".explorer-tokens").first
    expect(tokens).to_contain_text("mat")
    tokens.get_by_role("button", name="cat").click()
    expect(opening).to_have_attribute("aria-label", re.compile("cat looks most at"))

    opening.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("Layer 0, head 5: cat")
    table = page.locator("table.explorer-map")
    assert page.locator("[data-explorer=heads] h3").inner_text() == "Layer 0, head 5"
    rows = table.locator("tbody tr").all()
    for row in rows:
        weights = [float(cell) for cell in row.locator("td").all_inner_texts()]
        assert len(weights) == len(rows) == 8
        assert sum(weights) == pytest.approx(1, abs=0.05)
    table.locator("td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert "sat looks at [CLS]" in page.evaluate("document.activeElement.ariaLabel")

    steps = page.locator("[data-explorer=steps]")
    seen = []
    for _ in range(13):  # through a layer, and into the next
        seen.append(steps.locator("h3").inner_text())
        steps.get_by_role("button", name="next").click()
    assert seen[0] == "Query: cat, layer 0, head 5"
    assert len(set(seen)) == 13
    assert "layer 1" in seen[-1]
    strip = steps.get_by_role("slider").first
    strip.focus()
    page.keyboard.press("End")
    assert "number 32 of 32" in strip.get_attribute("aria-valuetext")

    breaks = page.locator("[data-explorer=breaks]")
    breaks.get_by_label("no positions").check()
    expect(breaks).to_contain_text("The map that changes most")
    breaks.get_by_label("shuffled").check()
    expect(breaks).to_contain_text("the cosine is 1.000")
    assert "broken=positions%2Corder" in page.url
    kept = page.url
    again = reader(kept.partition("explorer.html")[2]).page
    assert (
        again.get_by_label("First sentence", exact=True).input_value() == "the cat sat on the mat"
    )
    assert again.get_by_label("no positions").is_checked()
    assert visit.complaints == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "Nothing to read yet"),
        ("flies " * 300, "302 tokens"),
        ("🦟 flies", "[UNK]"),
        ("ጊዜ ይበርራል", "[UNK]"),
    ],
)
def test_what_cannot_be_read_gets_a_word(tab, text, word):
    if tab.locator("[data-explorer=sentences] button.load").is_visible():
        load(tab)
    tab.get_by_label("First sentence", exact=True).fill(text)
    expect(tab.locator("[data-explorer=sentences]")).to_contain_text(word, timeout=20_000)
    for panel in tab.locator("[data-explorer]").all():
        assert panel.inner_text().strip()
