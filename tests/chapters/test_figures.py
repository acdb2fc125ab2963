"""The plotting module: pictures that fit into any page, and words for those who cannot see them."""

import inspect
import re
import xml.etree.ElementTree as ElementTree

import figures
import pandas as pd
import pytest
import torch
from figures import numbers
from figures.picture import CAPTIONS, SVG, captions
from figures.plots import _ink_on, _luminance, shading

WEIGHTS = torch.tensor([[0.9, 0.1], [0.25, 0.75]])
NAMES = ["time", "flies"]
MEASURED = pd.DataFrame(
    {"method": ["frozen", "frozen", "full"], "texts": [50, 100, 50], "accuracy": [0.5, 0.6, 0.7]}
)
ALT = "Two tokens that mostly look at themselves."


def heat_map(**changes):
    return figures.heat_map(WEIGHTS, NAMES, NAMES, **{"alt": ALT, **changes})


# Every function that draws, with something to draw.
DRAWINGS = {
    "architecture": figures.architecture,
    "attention_steps": figures.attention_steps,
    "multi_head": figures.multi_head,
    "split_heads": figures.split_heads,
    "feed_forward_steps": figures.feed_forward_steps,
    "swiglu_steps": figures.swiglu_steps,
    "norm_axes": figures.norm_axes,
    "residual_layers": figures.residual_layers,
    "rotations": figures.rotations,
    "scaled_to_circle": figures.scaled_to_circle,
    "xor_planes": figures.xor_planes,
    "padding_mask": figures.padding_mask,
    "clock": lambda: figures.clock([[1, 0], [0, 1], [-1, 0]], [0, 1], ["1", "2"], ALT),
    "encoder_parts": figures.encoder_parts,
    "body_and_heads": figures.body_and_heads,
    "transformer_kinds": figures.transformer_kinds,
    "cache_grids": figures.cache_grids,
    "heat_map": heat_map,
    "lines": lambda: figures.lines(
        [1, 10, 100],
        {"measured": [1, 2, 3], "other": [3, 2, 1]},
        "x",
        "y",
        ALT,
        predicted=[1, 2, 3],
    ),
    "shaded_text": lambda: figures.shaded_text([(NAMES, [0.2, 5.0])], ALT),
    "shades": lambda: figures.shades(WEIGHTS, "x", "y", ALT),
    "curves": lambda: figures.curves(range(9), {"a": range(9)}, "x", "y", ALT, marks=[3]),
    "training_runs": lambda: figures.training_runs({"a": [[1, 2], [2]]}, "x", "y", ALT),
    "distributions": lambda: figures.distributions(NAMES, {"a": [0.5, 0.5]}, "x", ALT),
    "beam_tree": lambda: figures.beam_tree(
        {"a": 0.6, "the": 0.4}, {"a": {"fly": 1.0}, "the": {"fly": 1.0}}, ["a fly"]
    ),
    "matrices": lambda: figures.matrices(
        [figures.Matrix("Q", WEIGHTS, NAMES, NAMES), "→", figures.Matrix("V", WEIGHTS)],
        titles=["a line"],
        name="01/poster",
    ),
    "vectors": lambda: figures.vectors(
        {"time": (1, 2), "flies": (2, 0)},
        {"new": ((1.8, 0.4), (1, 2))},
        name="01/paper_vectors",
    ),
    "paths": lambda: figures.paths(
        {"a": [(0, 0), (1, 1)]}, [([(0, 0), (1, 2)], 0)], "x", "y", name="01/splitting"
    ),
    "bars": lambda: figures.bars({"a": 1.0, "b": 2.0}, "x", ALT),
    "shift_by_one": lambda: figures.shift_by_one(["a", " ", "b", "c"]),
    "cache_over_time": lambda: figures.cache_over_time("abcd"),
    "padded_batches": lambda: figures.padded_batches([3, 9, 2], [3, 3, 2], name="07/batches"),
    "by_heart": lambda: figures.by_heart([3, 2, 1, 0], [3, 2, 2.5, 3], name="07/overfitting"),
    "examples_curves": lambda: figures.examples_curves(MEASURED, 0.5, name="07/order"),
    "pieces": lambda: figures.pieces({"words": ["Time", " flies"], "letters": "Time flies"}, ALT),
    "merging": lambda: figures.merging([("letters", "the"), ("t + h", ["th", "e"])], ALT),
    "gpt2_and_llama": figures.gpt2_and_llama,
    "shared_heads": figures.shared_heads,
    "ring_slots": lambda: figures.ring_slots("ROMEO:", 4),
    "running_maximum": lambda: figures.running_maximum([0.5, 2.0, 1.0], "10/running_maximum"),
    "nucleus": lambda: figures.nucleus(
        {"a": ([0.7, 0.2, 0.1], "abc"), "b": ([0.4, 0.3, 0.3], "abc")}, 0.9, name="08/nucleus"
    ),
    "lens": lambda: figures.lens(
        ["a", " "], ["embeddings", "layer 0"], ["xy", "b\n"], [[0.1, 0.9], [0.5, 1.0]], alt=ALT
    ),
    "beams": lambda: figures.beams(
        [[("a", -0.5, 0), ("b", -1.0, 0)], [("c", -0.9, 1), ("d", -1.1, 0)]], 1, name="08/beams"
    ),
}


def texts_of(picture):
    """What is written in the picture."""
    return {text.strip() for text in ElementTree.fromstring(picture.svg).itertext()}


def ids_of(picture):
    return re.findall(r'\bid="([^"]+)"', picture.svg)


@pytest.fixture(params=DRAWINGS)
def picture(request):
    return DRAWINGS[request.param]()


def test_no_drawing_is_left_out():
    drawing = {
        name
        for name, function in inspect.getmembers(figures, inspect.isfunction)
        if function.__annotations__.get("return") == "Picture" and not name.startswith("_")
    }
    assert drawing - {"show"} == set(DRAWINGS)


def test_a_picture_is_well_formed_and_says_what_it_shows(picture):
    root = ElementTree.fromstring(picture.svg)
    assert root.tag == f"{{{SVG}}}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == picture.alt
    assert len(picture.alt.split()) > 5
    assert picture.alt in repr(picture)


def test_a_picture_takes_the_ink_and_the_width_of_its_page(picture):
    root = ElementTree.fromstring(picture.svg)
    assert root.get("viewBox")
    assert root.get("width") is None
    assert root.get("height") is None
    assert "currentColor" in picture.svg
    assert "#000000" not in picture.svg
    assert "font-family" not in picture.svg


def test_a_picture_restyles_nothing_outside_of_itself(picture):
    assert "<style" not in picture.svg
    assert "<metadata" not in picture.svg
    assert "<?xml" not in picture.svg
    assert "<!DOCTYPE" not in picture.svg


def test_the_same_picture_twice_on_a_page_shares_no_id():
    first, second = DRAWINGS["lines"](), DRAWINGS["lines"]()
    assert ids_of(first)
    assert not set(ids_of(first)) & set(ids_of(second))


def test_every_reference_inside_a_picture_has_its_target(picture):
    ids = ids_of(picture)
    assert len(ids) == len(set(ids))
    references = re.findall(r"url\(#([^)]+)\)", picture.svg)
    references += re.findall(r'href="#([^"]+)"', picture.svg)
    assert set(references) == set(ids)


def test_the_same_drawing_gives_the_same_picture_but_for_its_ids():
    first, second = DRAWINGS["lines"](), DRAWINGS["lines"]()
    for picture in (first, second):
        for number, name in enumerate(sorted(ids_of(picture))):
            picture.svg = picture.svg.replace(name, f"id{number}")
    assert first.svg == second.svg


def test_a_picture_on_a_page_has_a_caption_that_is_text():
    page = heat_map(caption="<b> & co")._repr_html_()
    assert page.startswith('<figure class="course-figure"><svg ')
    assert page.endswith("<figcaption>&lt;b&gt; &amp; co</figcaption></figure>")
    assert "<figcaption" not in heat_map()._repr_html_()


def test_a_heat_map_shows_its_numbers_and_says_them():
    picture = heat_map()
    texts = [text for text in ElementTree.fromstring(picture.svg).itertext() if text.strip()]
    for number in ("0.90", "0.10", "0.25", "0.75"):
        assert number in texts
    assert picture.alt == (
        f"{ALT} Row by row: time: time 0.90, flies 0.10; flies: time 0.25, flies 0.75."
    )


def test_a_hidden_score_is_drawn_and_said_as_hidden():
    scores = torch.tensor([[1.0, float("-inf")], [2.0, 3.0]])
    picture = figures.heat_map(scores, NAMES, NAMES, ALT)
    assert "−∞" in picture.svg
    assert "time: time 1.00, flies hidden;" in picture.alt


def test_shaded_text_says_its_numbers_and_where_there_are_none():
    picture = figures.shaded_text([(NAMES, [0.2, 5.04]), (["an", "arrow"], [-0.1, 0.3])], ALT)
    assert picture.alt == f"{ALT} Line by line: time flies: flies 5.0; an arrow: none."


def test_shaded_text_that_is_too_wide_is_refused():
    with pytest.raises(ValueError, match="expected at most 360: time flies time"):
        figures.shaded_text([(NAMES * 6, [1.0] * 12)], ALT)


def test_pieces_show_their_spaces_and_stay_inside_of_a_phone():
    picture = figures.pieces({"letters": "time flies\n" * 5}, ALT)
    assert picture.alt.startswith(f"{ALT} letters: t | i | m | e | ␣ | f | l | i | e | s | ↵ | t")
    corners = re.findall(r"[ML] ([\d.]+) [\d.]+", picture.svg)
    assert max(map(float, corners)) <= 360


def test_a_merged_piece_is_framed_and_what_was_there_before_is_not():
    picture = figures.merging([("letters", "then"), ("t + h", ["th", "e", "n"])], ALT)
    assert picture.alt.endswith("Row by row: letters: t | h | e | n; t + h: th | e | n.")
    assert picture.svg.count("stroke-width: 2.4") == 1


def test_matrices_show_their_numbers_and_say_them():
    scores = torch.tensor([[1.5, float("-inf")], [-2.0, 0.0]])
    matrix = figures.Matrix("scores", scores, NAMES, colour=figures.KEY)
    picture = figures.matrices([matrix], name="01/paper_mask")
    texts = [text for text in ElementTree.fromstring(picture.svg).itertext() if text.strip()]
    assert {"scores", "time", "flies", "1.50", "−∞", "−2", "0"} <= set(texts)
    assert picture.alt.endswith("scores: time 1.50, −∞; flies −2, 0.")


def test_numbers_can_be_read_on_every_shade_of_a_heat_map():
    shade_of = shading(-2, 2)
    for step in range(-100, 101):
        shade = shade_of(step / 50)
        bright, dark = sorted([_luminance(shade), _luminance(_ink_on(shade))], reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5


def test_shades_mean_the_same_in_every_heat_map():
    weights, signed = shading(0.1, 0.2), shading(-4.0, 1.0)
    assert weights(0.2) == shading(0.0, 1.0)(0.2)
    assert _luminance(weights(0.2)) > _luminance(weights(1.0))
    assert signed(0.0) == weights(0.0) == (1.0, 1.0, 1.0, 1.0)
    assert signed(-1.0) != signed(1.0)


def test_the_scale_of_shades_shows_what_can_occur():
    signed, weights = (
        texts_of(figures.shades(torch.full((40, 40), 0.5), "x", "y", ALT, low=low))
        for low in (-1.0, 0.0)
    )
    assert {"−1.00", "0.00", "1.00"} <= signed
    assert {"0.0", "1.0"} <= weights
    assert not any(text.startswith("−") for text in weights)


def test_points_are_marked_where_they_are_few():
    few, many = (
        figures.curves(range(n), {"a": range(n), "b": range(n)}, "x", "y", ALT) for n in (20, 200)
    )
    assert few.svg.count("<use") > 40 > many.svg.count("<use")


def test_a_single_line_has_no_legend():
    one, two = (
        figures.lines([1, 2], {key: [1, 2] for key in keys}, "x", "y", ALT) for keys in ("a", "ab")
    )
    assert not {"a", "b"} & texts_of(one)
    assert {"a", "b"} <= texts_of(two)


def test_beams_say_words_without_the_sign_of_their_beginning():
    picture = figures.beams([[("▁Wer", -0.5, 0), ("▁", -1.0, 0)]], 1, name="08/beams")
    assert picture.alt.endswith("step 1: Wer -0.50, ␣ -1.00.")
    assert {"Wer", "␣"} <= texts_of(picture)


def test_words_of_a_picture_come_from_its_chapter_file(tmp_path, monkeypatch):
    monkeypatch.setattr(figures.picture, "CAPTIONS", tmp_path)
    (tmp_path / "91.toml").write_text(f'[curve]\nalt = "{ALT}"\ncaption = "Short."\n')
    picture = figures.heat_map(WEIGHTS, NAMES, NAMES, name="91/curve")
    assert picture.alt.startswith(ALT)
    assert picture.alt.endswith("flies: time 0.25, flies 0.75.")
    assert picture.caption == "Short."
    with pytest.raises(ValueError, match=r"no entry \[curves\] in captions/91.toml"):
        figures.heat_map(WEIGHTS, NAMES, NAMES, name="91/curves")


def test_every_picture_that_has_words_is_on_a_page_and_none_on_two():
    text = "".join(path.read_text() for path in CAPTIONS.parents[1].glob("*.ipynb"))
    used = re.findall(r'name=\\"(\w+/\w+)\\"', text)
    written = [
        f"{file.stem}/{entry}" for file in CAPTIONS.glob("*.toml") for entry in captions(file.stem)
    ]
    assert sorted(used) == sorted(written)


@pytest.mark.parametrize("ground", ["#ffffff", "#14181e"])
@pytest.mark.parametrize("colour", [figures.BLUE, figures.ORANGE, figures.GREEN, *figures.HEADS])
def test_lines_stand_out_on_light_and_dark_pages(ground, colour):
    bright, dark = sorted([_luminance(ground), _luminance(colour)], reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 3


@pytest.mark.parametrize("alt", ["", "figure", "plot_1.png"])
def test_a_picture_without_words_is_refused(alt):
    with pytest.raises(ValueError, match="expected a sentence"):
        figures.show(figures.canvas(), alt=alt)


def test_digits_of_a_wide_map_can_be_read_on_a_phone():
    wide = torch.eye(14) * 0.75 + 0.25
    picture = figures.heat_map(wide, list("abcdefghijklmn"), list("abcdefghijklmn"), ALT)
    found = re.findall(r'<text style="font-size: ([\d.]+)px[^>]*>([^<]+)</text>', picture.svg)
    sizes = {text: float(size) for size, text in found if text in (".25", "1")}
    assert sizes.keys() == {".25", "1"}
    assert min(sizes.values()) >= 9
    assert "a 1.00, b 0.25" in picture.alt


def test_a_heat_map_with_a_missing_name_is_refused():
    with pytest.raises(ValueError, match="1 row names and 2 column names"):
        figures.heat_map(WEIGHTS, NAMES[:1], NAMES, ALT)


def test_a_lens_says_its_guesses_and_refuses_a_missing_one():
    picture = figures.lens(["a", "\n"], ["layer 0"], [["b", " "]], [[0.26, 1.0]], alt=ALT)
    assert picture.alt == f"{ALT} Read: a . Row by row: layer 0: b 0.3, ␣ 1.0."
    with pytest.raises(ValueError, match="1 rows of guesses for 1 depths and 2 tokens"):
        figures.lens(["a", "b"], ["layer 0"], [["b"]], [[0.26]], alt=ALT)


def test_more_lines_than_can_be_told_apart_are_refused():
    with pytest.raises(ValueError, match="Found 4 series"):
        figures.lines([1, 2], {name: [1, 2] for name in "abcd"}, "x", "y", ALT)


@pytest.mark.parametrize(
    ("value", "text"), [(-0.0001, "0.00"), (-0.01, "-0.01"), (2, "2.00"), (-float("inf"), "-inf")]
)
def test_a_rounded_zero_has_no_sign(value, text):
    assert numbers.number(value, 2) == text
