"""The playgrounds compute what the book computes, and can be used with the keyboard alone.

What a model says in them is computed again, in a different way than the build does it: by Hugging
Face's model, or by taking parts out of ours.
"""

import json
import math
import re

import pytest
import torch
from playwright.sync_api import expect
from sklearn.metrics import precision_recall_fscore_support
from torch.nn.functional import cosine_similarity, cross_entropy, pad

from solutions import load_checkpoint
from solutions.encoder import Encoder
from solutions.generation import top_k_filter, top_p_filter
from solutions.inspection import ablate
from solutions.simple_attention import attention_weights, scaled_dot_product_attention
from solutions.tokenizers import BYTE_SYMBOLS, BytePairTokenizer
from solutions.trained import load_writer, read_plays

PLACES = {
    "opening": "chapters/index",
    "attention": "chapters/01_simple_attention",
    "heads": "chapters/02_multi_head",
    "neurons": "chapters/03_neurons",
    "stream": "chapters/04_training",
    "rotary": "chapters/05_positions",
    "padding": "chapters/06_encoder",
    "threshold": "chapters/07_fine_tuning",
    "sampling": "chapters/08_writing",
    "merges": "chapters/09_tokenizers",
    "order": "chapters/11_looking_inside",
}
PHONE = {"width": 390, "height": 844}
KEYS = torch.tensor([[2.0, 0.5], [0.5, 2.0], [-1.5, 0.5], [1.0, -1.5]])
VALUES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
SENTENCE = "time flies like an arrow"
FLIES = 2  # its place, with [CLS] in front

# Texts of the drawings that are cut off at an edge, or cover each other, or change the height.
ALL_POSITIONS = """place => {
  const [q1, q2] = ["q1", "q2"].map(name => place.querySelector(`[name=${name}]`));
  const form = place.querySelector("form"), found = [];
  const height = place.getBoundingClientRect().height;
  for (let x = -30; x <= 30; x += STEP) for (let y = -30; y <= 30; y += STEP) {
    [q1.value, q2.value] = [x / 10, y / 10];
    form.dispatchEvent(new Event("input"));
    for (const picture of place.querySelectorAll("svg")) {
      const frame = picture.getBoundingClientRect();
      const boxes = [...picture.querySelectorAll("text")].map(text => text.getBoundingClientRect());
      if (boxes.length < 5) found.push([x, y, "a label is missing"]);
      boxes.forEach((a, i) => {
        if (a.left < frame.left - 0.5 || a.top < frame.top - 0.5 || a.right > frame.right + 0.5 ||
            a.bottom > frame.bottom + 0.5) found.push([x, y, "cut off", i]);
        boxes.slice(i + 1).forEach((b, j) => {
          if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 2 < b.bottom &&
              b.top + 2 < a.bottom) found.push([x, y, "overlap", i, i + 1 + j]);
        });
      });
    }
    if (place.getBoundingClientRect().height !== height) found.push([x, y, "jumps"]);
  }
  return found.slice(0, 5);
}"""


@pytest.fixture(scope="module")
def pages(browser, address):
    """The page of each playground, opened once: a function that gives it."""
    opened = {}

    def find(name):
        if name not in opened:
            context = browser.new_context(reduced_motion="reduce")
            opened[name] = context.new_page()
            opened[name].goto(f"{address}/{PLACES[name]}.html")
        return opened[name]

    yield find
    for page in opened.values():
        page.context.close()


@pytest.fixture
def playground(pages):
    """A playground as it is at first: a function that gives its element."""

    def find(name):
        page = pages(name)
        page.set_viewport_size({"width": 1366, "height": 900})
        place = page.locator(f"[data-playground={name}]")
        place.get_by_role("button", name="reset").click()
        return place

    return find


@pytest.fixture
def data(site):
    """The numbers that the build wrote for a playground."""

    def read(name):
        text = (site / f"_static/playgrounds/data/{name}.js").read_text(encoding="utf-8")
        return json.loads(text.removeprefix(f"playgroundData.{name} = ").rstrip().removesuffix(";"))

    return read


@pytest.fixture(scope="module")
def minilm():
    """MiniLM by Hugging Face, with maps, and the inputs of the sentence."""
    checkpoint = load_checkpoint()
    model = checkpoint.load_model().requires_grad_(False)
    return model, checkpoint.tokenizer(SENTENCE, return_tensors="pt")


def put(place, name: str, value) -> None:
    place.locator(f"[name={name}]").evaluate(
        """(input, value) => {
            input.value = value;
            input.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        str(value),
    )


def numbers(text: str) -> list[float]:
    text = text.replace("−", "-").replace(",", "")
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]


def status(place) -> str:
    return place.locator("[role=status]").inner_text()


def column(place, index: int) -> list[str]:
    return place.locator(f"tbody tr td:nth-child({index})").all_inner_texts()


# ---- Chapter 1 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [(1.0, 1.0), (-2.5, 0.5), (3.0, -3.0)])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("hidden", [None, 0, 3])
def test_attention_is_that_of_the_chapter(playground, query, scaled, hidden):
    place = playground("attention")
    put(place, "q1", query[0])
    put(place, "q2", query[1])
    place.locator("[name=scaled]").set_checked(scaled)
    for token in range(4):
        place.locator(f"[name=hidden{token}]").set_checked(token == hidden)
    mask = torch.tensor([[token != hidden for token in range(4)]])
    query = torch.tensor([query]) * (1 if scaled else math.sqrt(2))
    output = scaled_dot_product_attention(query, KEYS, VALUES, mask)
    weights = attention_weights(query, KEYS, mask)
    shown = [numbers(text)[0] for text in column(place, 5)]
    assert shown == pytest.approx(weights[0].tolist(), abs=6e-4)
    assert numbers(status(place))[:2] == pytest.approx(output[0].tolist(), abs=6e-3)
    labels = place.locator("svg").nth(0).locator("text.key, text.plain").all_text_contents()
    of_arrows = sorted(numbers(label)[0] for label in labels)
    assert of_arrows == pytest.approx(sorted(weights[0].tolist()), abs=6e-3)


def test_hiding_every_key_gives_zeros_and_says_so(playground):
    place = playground("attention")
    for token in range(4):
        place.locator(f"[name=hidden{token}]").set_checked(True)
    assert "the weights are zero" in status(place)


def where(place, x: float, y: float) -> tuple[float, float]:
    """Where on the screen a point of the query's plane is."""
    box = place.locator("svg").first.bounding_box()
    half = box["width"] / 2
    return box["x"] + half * (1 + x / 3.7), box["y"] + half * (1 - y / 3.7)


def test_query_is_dragged_with_the_mouse(playground, pages):
    place, mouse = playground("attention"), pages("attention").mouse
    place.locator("svg").first.scroll_into_view_if_needed()
    mouse.move(*where(place, 1, 1))
    mouse.down()
    mouse.move(*where(place, -2, 0.5), steps=4)
    mouse.move(*where(place, -2, 1.5), steps=4)
    mouse.up()
    mouse.move(*where(place, 2, -2))  # let go: nothing follows
    assert place.locator("[name=q1]").input_value() == "-2"
    assert place.locator("[name=q2]").input_value() == "1.5"
    output = scaled_dot_product_attention(torch.tensor([[-2.0, 1.5]]), KEYS, VALUES)
    assert numbers(status(place))[:2] == pytest.approx(output[0].tolist(), abs=6e-3)


def test_query_is_dragged_with_a_finger_and_the_page_scrolls_beside_it(browser, address):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}/{PLACES['attention']}.html")
    place = page.locator("[data-playground=attention]")
    place.evaluate("place => place.scrollIntoView({ block: 'center' })")
    screen = context.new_cdp_session(page)

    def swipe(start, end):
        def touch(kind, *points):
            points = [{"x": x, "y": y} for x, y in points]
            screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", start)
        for part in range(1, 9):
            here = [a + (b - a) * part / 8 for a, b in zip(start, end, strict=True)]
            touch("touchMove", tuple(here))
        touch("touchEnd")
        page.wait_for_timeout(100)

    before = page.evaluate("scrollY")
    swipe(where(place, 1, 1), where(place, -2, -1))
    assert abs(page.evaluate("scrollY") - before) < 1
    values = [float(place.locator(f"[name={name}]").input_value()) for name in ("q1", "q2")]
    assert values == pytest.approx([-2, -1], abs=0.11)
    start = where(place, 3, 3)
    swipe(start, (start[0], start[1] - 200))
    assert page.evaluate("scrollY") > before + 50
    assert float(place.locator("[name=q1]").input_value()) == values[0]
    context.close()


@pytest.mark.parametrize(("size", "step"), [({"width": 1366, "height": 900}, 3), (PHONE, 3)])
def test_every_label_is_whole_and_free_wherever_the_query_is(playground, pages, size, step):
    place = playground("attention")
    pages("attention").set_viewport_size(size)
    assert place.evaluate(ALL_POSITIONS.replace("STEP", str(step))) == []


# ---- Chapter 5 ----------------------------------------------------------------------------------


def test_rotary_scores_depend_on_the_distance_only(playground):
    place = playground("rotary")

    def score(m, n):
        put(place, "m", m)
        put(place, "n", n)
        return numbers(status(place))[0]

    assert score(5, 2) == score(35, 32) == score(3, 0)
    assert score(5, 2) != score(5, 3)
    expected = 0.0
    for angle, q, k in ((1.0, 1.0 + 0.6j, 0.8 - 0.4j), (0.1, 0.5 + 1.0j, 1.0 + 0.7j)):
        turn = complex(math.cos(3 * angle), math.sin(3 * angle))
        expected += (q * turn * k.conjugate()).real
    assert score(5, 2) == pytest.approx(expected, abs=6e-3)


def test_moving_both_keeps_the_score_within_the_range_of_the_sliders(playground):
    place = playground("rotary")
    before = status(place)
    for _ in range(8):
        place.get_by_role("button", name="move both").click()
        assert status(place) == before


# ---- Chapters 2, 3, 4 and 6: MiniLM --------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "word", "off"), [(0, FLIES, [4]), (3, 5, [0, 7, 11]), (5, 0, [2])]
)
def test_without_some_heads_the_output_is_that_of_the_ablated_model(
    playground, minilm, layer, word, off
):
    encoder, inputs = Encoder.from_pretrained(minilm[0]), minilm[1]
    module, found = encoder.layers[layer].attention, []
    watch = module.register_forward_hook(lambda _m, _i, output: found.append(output[0][0, word]))
    with torch.inference_mode():
        encoder(**inputs)
        with ablate(module, off):
            encoder(**inputs)
    watch.remove()
    whole, left = found
    place = playground("heads")
    put(place, "word", word)
    put(place, "layer", layer)
    place.locator("[name=head4]").check()
    assert numbers(status(place))[1] == pytest.approx(whole.norm().item(), abs=6e-3)
    for head in off:
        place.locator(f"[name=head{head}]").uncheck()
    said = numbers(status(place))
    assert said[0] == 12 - len(off)
    assert said[2:4] == pytest.approx([left.norm().item(), whole.norm().item()], abs=0.011)
    assert said[4] == pytest.approx(cosine_similarity(left, whole, dim=0).item(), abs=2e-3)
    if len(off) == 1:
        assert numbers(column(place, 5)[off[0]])[0] == pytest.approx(said[4], abs=1e-9)


@pytest.mark.parametrize(("layer", "word"), [(0, FLIES), (0, 0), (2, FLIES)])
def test_neurons_are_missed_as_in_hugging_faces_layer(playground, minilm, layer, word):
    model, inputs = minilm
    block = model.encoder.layer[layer]
    states = model(**inputs, output_hidden_states=True).hidden_states[layer]
    active = block.intermediate(block.attention(states)[0])[0, word]
    matrix, bias = block.output.dense.weight, block.output.dense.bias
    whole = matrix @ active + bias
    strength = active.abs() * matrix.norm(dim=0)
    place = playground("neurons")
    put(place, "word", word)
    put(place, "layer", layer)
    for index, count in ((1, 1), (9, 128), (15, 1024), (16, 1280)):
        put(place, "kept", index)
        kept = torch.zeros_like(active)
        strongest = strength.topk(count).indices
        kept[strongest] = active[strongest]
        missing = (whole - matrix @ kept - bias).norm() / whole.norm()
        said = numbers(status(place))[1:]  # after the number of the layer
        assert said[0] == count
        assert said[1] == pytest.approx(100 * missing.item(), abs=0.2)
    enough = int(numbers(column(place, 4)[0])[0])
    assert enough > 1000 if word == FLIES else enough == 1  # as the page says


def test_trained_streams_have_the_sizes_of_the_models(playground, minilm, data):
    model, inputs = minilm
    states = torch.cat(model(**inputs, output_hidden_states=True).hidden_states)
    sizes = states.square().mean(dim=(1, 2)).sqrt()
    trained = data("stream")["trained"]
    assert [10**size for size in trained["post-norm"]["sizes"]] == pytest.approx(
        sizes.tolist(), rel=3e-3
    )
    writer, tokenizer = load_writer()
    seen = []
    for layer in writer.decoder.stack.layers:
        layer.register_forward_hook(lambda _m, _i, output: seen.append(output[0]))
    with torch.inference_mode():
        writer(tokenizer.encode("Time flies like"))
    sizes = torch.cat(seen).square().mean(dim=(1, 2)).sqrt()
    assert [10**size for size in trained["pre-norm"]["sizes"][1:]] == pytest.approx(
        sizes.tolist(), rel=3e-3
    )
    shown = column(playground("stream"), 3)[-2:]
    assert [numbers(text)[0] for text in shown] == pytest.approx(
        [sizes[-1].item(), states[-1].square().mean().sqrt().item()], rel=0.02
    )


def test_new_streams_grow_as_their_arrangement_says(playground, data):
    fresh = data("stream")["fresh"]
    for run in fresh["post-norm"]:
        assert run["sizes"] == pytest.approx([0] * 25, abs=2e-3)  # the size is 1
    for run, plain in zip(fresh["pre-norm"], fresh["none"], strict=True):
        assert run["sizes"][-1] <= plain["sizes"][-1]
        assert run["changes"][-1] < 0.25
    assert fresh["none"][2]["sizes"][-1] > 4  # twice BERT's weights: ten thousand and more
    place = playground("stream")
    put(place, "spread", 2)
    put(place, "depth", 24)
    said = numbers(status(place))[-2:]
    assert said == pytest.approx([10 ** fresh["pre-norm"][2]["sizes"][-1], 1], abs=0.011)


@pytest.mark.parametrize(("pads", "layer"), [(1, 0), (8, 4)])
def test_padding_leaks_as_in_hugging_faces_model(playground, minilm, pads, layer):
    model, inputs = minilm
    asked = {"output_attentions": True}
    alone = model(**inputs, **asked)
    leaking = model(input_ids=pad(inputs.input_ids, (0, pads)), **asked)
    leaks = leaking.attentions[layer][0].mean(dim=0)[:7, 7:].sum(dim=-1)
    states = leaking.last_hidden_state[0, :7], alone.last_hidden_state[0]
    cosines = cosine_similarity(*states, dim=-1)
    place = playground("padding")
    put(place, "pads", pads)
    put(place, "layer", layer)
    place.locator("[name=masked]").check()
    assert {numbers(text)[0] for text in column(place, 2)} == {0}
    assert {numbers(text)[0] for text in column(place, 3)} == {1}
    place.locator("[name=masked]").uncheck()
    shown = [numbers(text)[0] for text in column(place, 2)]
    assert shown == pytest.approx(leaks.tolist(), abs=5e-3)
    shown = [numbers(text)[0] for text in column(place, 3)]
    assert shown == pytest.approx(cosines.tolist(), abs=1e-3)


# ---- Chapter 7 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("library", "threshold"), [(3, 0.5), (0, 0.2), (2, 0.9)])
def test_threshold_gives_the_scores_of_scikit_learn(playground, data, library, threshold):
    found = data("threshold")
    right = [label == library for label in found["labels"]]
    called = [row[library] >= threshold for row in found["scores"]]
    expected = precision_recall_fscore_support(right, called, average="binary")[:3]
    place = playground("threshold")
    put(place, "library", library)
    put(place, "threshold", threshold)
    said = numbers(status(place).replace("F1", "F"))
    assert said[:4] == pytest.approx([threshold, *expected], abs=6e-3)
    cells = [int(text) for text in place.locator("tbody td").all_inner_texts()]
    assert cells[0] + cells[1] == sum(right)
    assert sum(cells) == 600


def test_scores_are_those_of_the_chapters_classifier(data):
    found = data("threshold")
    right, scores = torch.tensor(found["labels"]), torch.tensor(found["scores"])
    assert scores.sum(dim=-1).tolist() == pytest.approx([1] * 600, abs=3e-3)
    assert (scores.argmax(dim=-1) == right).float().mean() == pytest.approx(0.82, abs=0.011)


# ---- Chapter 8 ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def writer():
    """The writer in float64, as the chapter has it."""
    model, tokenizer = load_writer()
    return model.double(), tokenizer


@pytest.mark.parametrize(
    ("text", "temperature", "k", "p"),
    [(0, 1, 65, 1), (1, 0.5, 65, 1), (2, 2, 3, 1), (3, 1, 65, 0.7), (2, 1.5, 5, 0.6)],
)
def test_sampling_is_that_of_the_chapter(playground, writer, text, temperature, k, p):
    model, tokenizer = writer
    so_far = ("Time flies like", "My l", "What, ", "JULIET:\n")[text]
    with torch.inference_mode():
        logits = model(tokenizer.encode(so_far)).logits[:, -1]
    kept = top_p_filter(top_k_filter(logits / temperature, k), float(p))
    kept = kept.softmax(-1)[0]
    order = logits[0].argsort(descending=True)
    place = playground("sampling")
    for name, value in {"text": text, "temperature": temperature, "k": k, "p": p}.items():
        put(place, name, value)
    names = [{" ": "space", "\n": "new line"}.get(c, f"“{c}”") for c in tokenizer.characters]
    assert place.locator("tbody th").all_inner_texts()[:9] == [names[i] for i in order[:9]]
    shown = [numbers(each)[0] for each in column(place, 2)[:9]]
    assert shown == pytest.approx(logits[0, order[:9]].tolist(), abs=6e-3)
    shares = [*kept[order[:9]].tolist(), kept[order[9:]].sum().item()]
    for said, share in zip(column(place, 3), shares, strict=True):
        if share == 0:
            assert said == "left out"
        else:
            assert numbers(said)[0] == pytest.approx(share, abs=1e-3)
    assert numbers(status(place))[0] == (kept > 0).sum()


def test_a_hundred_characters_are_drawn_from_those_that_are_kept(playground):
    place = playground("sampling")
    put(place, "k", 2)
    place.get_by_role("button", name="draw 100").click()
    counts = [int(text) for text in column(place, 4)]
    assert sum(counts) == 100
    assert sum(counts[:2]) == 100


# ---- Chapter 9 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Time flies, brother!", "Zürich’s 12  \U0001f600 DON'T", ""])
def test_a_text_is_cut_as_the_books_tokenizer_cuts_it(playground, data, text):
    merges = [tuple(pair.split(" ")) for pair in data("merges")["merges"]]
    place = playground("merges")
    put(place, "text", text)
    for count in (0, 100, 768):
        put(place, "count", count)
        pieces = [*BYTE_SYMBOLS.values(), *("".join(pair) for pair in merges[:count])]
        vocabulary = {piece: i for i, piece in enumerate(pieces)}
        expected = BytePairTokenizer(vocabulary, merges[:count]).tokenize(text)
        shown = place.locator(".pieces span").all_inner_texts()
        assert [piece.replace("␣", "Ġ") for piece in shown] == expected
        assert numbers(status(place))[:3] == [count, len(text), len(expected)]


# ---- Chapter 11 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["0123", "0213", "13"])
def test_losses_of_orders_are_those_of_a_model_with_its_layers_in_this_order(playground, order):
    model, tokenizer = load_writer()
    layers = model.decoder.stack.layers
    model.decoder.stack.layers = torch.nn.ModuleList(layers[int(i)] for i in order)
    unseen = read_plays()[1_003_854:]
    ids = [tokenizer.encode(unseen[i : i + 129]) for i in range(0, len(unseen) - 129, 7000)]
    ids = torch.cat(ids)
    with torch.inference_mode():
        logits = model(ids[:, :-1]).logits
    loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).item()
    place = playground("order")
    put(place, "order", order + "".join(sorted({*"0123"} - {*order})))
    for left_out in {*"0123"} - {*order}:
        place.locator(f"[name=without{left_out}]").check()
    said = numbers(status(place).split("loss")[1])
    assert said[0] == pytest.approx(loss, abs=6e-3)
    assert said[2] == pytest.approx(math.log(65), abs=6e-3)


# ---- The first page -----------------------------------------------------------------------------


def test_first_page_shows_where_flies_looks(playground, minilm):
    model, inputs = minilm
    maps = model(**inputs, output_attentions=True).attentions
    place = playground("opening")
    assert place.locator(".line").count() == 0  # a reader predicts first
    place.locator("[name=words]").uncheck()
    for layer in (1, 3, 6):
        put(place, "layer", layer)
        best = maps[layer - 1][0].mean(dim=0)[FLIES].topk(3)
        said = numbers(status(place).split("looks at")[1])
        assert said[:3] == pytest.approx(best.values.tolist(), abs=6e-3)
    assert place.locator(".line").count() == 6 * 7
    place.locator("[name=words]").check()
    words = maps[-1][0].mean(dim=0)[FLIES, 1:-1]
    said = numbers(status(place).split("looks at")[1])
    assert said[:3] == pytest.approx((words / words.sum()).topk(3).values.tolist(), abs=6e-3)
    place.locator("[name=words]").uncheck()
    put(place, "sentence", 1)
    put(place, "layer", 3)
    table = place.page.locator("table").first.locator("tbody tr").nth(1).locator("td")
    for layer, said in enumerate(table.all_inner_texts()[1:]):
        put(place, "layer", 3 * layer)
        assert ", ".join(f"“{word}”" for word in said.split(", ")) in status(place)
    put(place, "layer", 0)
    assert place.locator(".line").count() == 0


def test_first_page_waits_for_a_prediction_and_then_plays(opened, address):
    visit = opened(f"{address}/{PLACES['opening']}.html")
    place, layer = visit.page.locator("[data-playground=opening]"), "[name=layer]"
    place.locator("svg").scroll_into_view_if_needed()
    visit.page.wait_for_timeout(1500)
    expect(place.locator(layer)).to_have_value("0")
    sentence = place.locator("[role=status]")
    place.get_by_role("button", name="play").click()
    for _ in range(20):  # the sentence is of the layer that is shown, and isn't read aloud
        shown, said, loud = place.evaluate(
            """place => [place.querySelector("[name=layer]").value,
                        ...["textContent", "ariaLive"].map(
                          (part) => place.querySelector("[role=status]")[part])]"""
        )
        start = f"After layer {shown}," if shown != "0" else "Before the first layer,"
        assert said.startswith(start)
        assert loud == ("polite" if shown == "6" else "off")
        if shown == "6":
            break
        visit.page.wait_for_timeout(300)
    expect(place.locator(layer)).to_have_value("6")
    expect(sentence).to_have_attribute("aria-live", "polite")
    place.get_by_role("button", name="play").wait_for()
    assert "#" not in visit.page.url


def test_first_page_is_printed_with_all_layers(opened, address):
    page = opened(f"{address}/{PLACES['opening']}.html").page
    place = page.locator("[data-playground=opening]")
    put(place, "layer", 2)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(place.locator("[name=layer]")).to_have_value("6")
    assert place.locator(".line").count() == 6 * 7
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(place.locator("[name=layer]")).to_have_value("2")


def test_bars_are_as_high_as_their_counts(playground, data):
    found, place = data("threshold"), playground("threshold")
    library = 3
    put(place, "library", library)
    counts = [[0, 0] for _ in range(20)]
    for label, row in zip(found["labels"], found["scores"], strict=True):
        counts[min(19, int(row[library] * 20))][label != library] += 1
    counts = [count for pair in counts for count in pair]
    shown = place.locator(".histogram i").evaluate_all(
        "bars => bars.map((bar) => [Number(bar.style.getPropertyValue('--high')), bar.textContent])"
    )
    top = sorted(counts)[-2]
    for count, (high, said) in zip(counts, shown, strict=True):
        assert high == pytest.approx(min(1, count / top), abs=6e-4)
        assert said == (str(count) if count > top else "")
    assert max(counts) > 2 * top  # so there is one that is cut


def test_word_that_is_pointed_at_is_followed(playground):
    place = playground("opening")
    place.locator(".column").nth(5).hover()
    expect(place.locator("[name=word]")).to_have_value("5")
    assert "“arrow”" in status(place)


# ---- All of them ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLACES)
def test_a_playground_works_with_the_keyboard_and_has_named_controls(playground, name):
    place = playground(name)
    before = status(place)
    sliders = place.locator("input[type=range]")
    first = sliders.first if sliders.count() else place.locator("select").first
    first.focus()
    seen = set()
    for key in ("Home", "End"):
        first.press(key)
        seen.add(status(place))
    assert seen - {before}
    for slider in sliders.all():
        assert slider.get_attribute("aria-valuetext")
    for control in place.locator("input, button, select").all():
        expect(control).to_have_accessible_name(re.compile(r"\w"))
    place.get_by_role("button", name="reset").click()
    assert status(place) == before


@pytest.mark.parametrize("name", PLACES)
def test_picture_and_controls_are_on_one_screen_of_a_phone(playground, pages, name):
    place, page = playground(name), pages(name)
    page.set_viewport_size(PHONE)
    stage, said = (place.locator(part).bounding_box() for part in (".stage", "[role=status]"))
    assert said["y"] + said["height"] - stage["y"] < 0.85 * PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    height = place.bounding_box()["height"]
    for control in place.locator("input[type=range]").all():
        for key in ("Home", "End"):
            control.press(key)
            assert place.bounding_box()["height"] == height
    for box in page.locator("[data-playground] svg text").evaluate_all(
        "texts => texts.map(text => [text.getBoundingClientRect(), "
        "text.ownerSVGElement.getBoundingClientRect()].map(({ left, right }) => [left, right]))"
    ):
        (left, right), (edge, other) = box
        assert edge - 1 <= left
        assert right <= other + 1


def test_what_was_set_is_kept_can_be_linked_and_is_forgotten_at_reset(opened, address):
    url = f"{address}/{PLACES['attention']}.html"
    page = opened(url).page
    place = page.locator("[data-playground=attention]")
    put(place, "q1", -2)
    place.locator("[name=hidden2]").check()
    page.wait_for_url("**/*#attention:q1=-2;hidden2=1")
    link = page.url
    said = status(place)
    page.goto(url)  # without the address's end: from the browser's storage
    page.reload()
    assert status(place) == said
    place.get_by_role("button", name="reset").click()
    page.wait_for_timeout(400)
    page.reload()
    assert status(place) != said
    assert "#" not in page.url
    visit = opened(link)
    assert visit.complaints == []
    other = visit.page
    place = other.locator("[data-playground=attention]")
    assert status(place) == said
    expect(place).to_be_in_viewport()
    other.goto(f"{url}#attention:q1=nonsense;q2=99;other=1")
    assert place.locator("[name=q1]").input_value() == "1"
    assert place.locator("[name=q2]").input_value() == "3"
    for spoiled in ("{", "7", '{"attention": 7}'):
        other.evaluate("text => localStorage.setItem('course-playgrounds', text)", spoiled)
        other.goto("about:blank")
        other.goto(url)
        assert place.locator("[name=q1]").input_value() == "1"


def test_a_page_loads_what_it_shows_and_nothing_else(site):
    def scripts(page):
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        return re.findall(r'src="[^"]*_static/playgrounds/([\w/]+\.js)', html)

    for name, page in PLACES.items():
        shared = ["parts.js", "drawing.js", "page.js"]
        own = [f"data/{name}.js"] * (name not in ("attention", "rotary")) + [f"{name}.js"]
        assert scripts(page) == shared + own
        assert (site / f"_static/playgrounds/{name}.js").stat().st_size < 10_000
    assert scripts("chapters/glossary") == []
    assert scripts("chapters/explorer") == ["parts.js"]


def test_without_javascript_a_sentence_stands_in_each_place(browser, site):
    place = re.compile(r'data-playground="(\w+)">\s*<p>(.*?)</p>')
    for name, path in PLACES.items():
        ((found, sentence),) = place.findall((site / f"{path}.html").read_text(encoding="utf-8"))
        assert found == name
        assert "JavaScript" in sentence
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / f"{PLACES['opening']}.html").as_uri())
    assert "JavaScript" in page.locator("[data-playground=opening]").inner_text()
    context.close()


def test_playgrounds_work_from_a_folder(opened, site):
    page = opened((site / f"{PLACES['heads']}.html").as_uri()).page
    place = page.locator("[data-playground=heads]")
    put(place, "layer", 1)
    page.wait_for_url("**/*#heads:layer=1")
    page.reload()
    expect(place.locator("[name=layer]")).to_have_value("1")
