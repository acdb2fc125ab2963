"""The playgrounds compute what the book computes, and can be used with the keyboard alone."""

import math
import re

import pytest
import torch
from playwright.sync_api import expect

from solutions.generation import top_k_filter, top_p_filter
from solutions.simple_attention import attention_weights, scaled_dot_product_attention

PLACES = {
    "attention": "chapters/01_simple_attention",
    "rotary": "chapters/05_positions",
    "sampling": "chapters/08_writing",
}
KEYS = torch.tensor([[2.0, 0.5], [0.5, 2.0], [-1.5, 0.5], [1.0, -1.5]])
VALUES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


@pytest.fixture
def playground(opened, address):
    """Open a playground: a function that gives its element."""

    def find(name, **options):
        place = opened(f"{address}/{PLACES[name]}.html", **options).page.locator(
            f"[data-playground={name}]"
        )
        place.locator("table").first.wait_for()
        return place

    return find


def put(place, name: str, value: float) -> None:
    place.locator(f"[name={name}]").evaluate(
        """(input, value) => {
            input.value = value;
            input.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        value,
    )


def numbers(text: str) -> list[float]:
    return [float(n.replace("−", "-")) for n in re.findall(r"−?\d+(?:\.\d+)?", text)]


def column(place, index: int) -> list[str]:
    return place.locator(f"tbody tr td:nth-child({index})").all_inner_texts()


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
    sentence = place.locator("[role=status]").inner_text()
    assert numbers(sentence)[:2] == pytest.approx(output[0].tolist(), abs=6e-3)


def test_hiding_every_key_gives_zeros_and_says_so(playground):
    place = playground("attention")
    for token in range(4):
        place.locator(f"[name=hidden{token}]").set_checked(True)
    assert "the weights are zero" in place.locator("[role=status]").inner_text()


def test_rotary_scores_depend_on_the_distance_only(playground):
    place = playground("rotary")

    def score(m, n):
        put(place, "m", m)
        put(place, "n", n)
        return numbers(place.locator("[role=status]").inner_text())[0]

    assert score(5, 2) == score(35, 32) == score(3, 0)
    assert score(5, 2) != score(5, 3)
    expected = 0.0
    for angle, q, k in ((1.0, 1.0 + 0.6j, 0.8 - 0.4j), (0.1, 0.5 + 1.0j, 1.0 + 0.7j)):
        turn = complex(math.cos(3 * angle), math.sin(3 * angle))
        expected += (q * turn * k.conjugate()).real
    assert score(5, 2) == pytest.approx(expected, abs=6e-3)


def test_moving_both_keeps_the_score_within_the_range_of_the_sliders(playground):
    place = playground("rotary")
    status = place.locator("[role=status]")
    before = status.inner_text()
    for _ in range(8):
        place.locator("button").click()
        assert status.inner_text() == before


@pytest.mark.parametrize(
    ("temperature", "k", "p"), [(1, 8, 1), (0.5, 8, 1), (2, 3, 1), (1, 8, 0.7), (1.5, 5, 0.6)]
)
def test_sampling_is_that_of_the_chapter(playground, temperature, k, p):
    place = playground("sampling")
    for name, value in {"temperature": temperature, "k": k, "p": p}.items():
        put(place, name, value)
    logits = torch.tensor([[float(t.replace("−", "-")) for t in column(place, 2)]]) / temperature
    expected = top_p_filter(top_k_filter(logits, k), float(p)).softmax(-1)[0]
    for text, share in zip(column(place, 3), expected.tolist(), strict=True):
        if share == 0:
            assert text == "left out"
        else:
            assert numbers(text)[0] == pytest.approx(share, abs=6e-4)


def test_a_hundred_tokens_are_drawn_from_those_that_are_kept(playground):
    place = playground("sampling")
    put(place, "k", 2)
    place.get_by_role("button", name="draw 100 tokens").click()
    counts = [int(text) for text in column(place, 4)]
    assert sum(counts) == 100
    assert sum(counts[:2]) == 100


@pytest.mark.parametrize("name", PLACES)
def test_a_playground_works_with_the_keyboard_and_has_named_controls(playground, name):
    place = playground(name)
    before = place.locator("[role=status]").inner_text()
    first = place.locator("input").first
    first.focus()
    first.press("ArrowRight")
    first.press("ArrowRight")
    assert place.locator("[role=status]").inner_text() != before
    assert first.get_attribute("aria-valuetext")
    for control in place.locator("input, button").all():
        expect(control).to_have_accessible_name(re.compile(r"\w"))
