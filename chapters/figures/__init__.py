"""Every picture of the book: one style, one way out.

A chapter calls a ready drawing such as `heat_map`, or draws with matplotlib on a `canvas` and hands
it to `show`. What comes back is a picture for the page: inline SVG with an alternative text and a
caption. It takes the page's own text colour and width, so one drawing serves light and dark pages,
phones and print, and its text stays text. Black means "the page's ink" here; every other colour can
be told from white and from dark grey, and nothing is told by colour alone.

What a picture of a chapter's numbers says in words is in `captions/NN.toml`, under the name that
the page passes: `name="01/scores"` is the entry `[scores]` of `captions/01.toml`.
"""

from .attention import architecture, attention_steps, multi_head, split_heads
from .inspection import lens
from .layers import (
    feed_forward_steps,
    norm_axes,
    residual_layers,
    scaled_to_circle,
    swiglu_steps,
    xor_planes,
)
from .matrices import Matrix, matrices, paths, vectors
from .models import body_and_heads, cache_grids, encoder_parts, transformer_kinds
from .modern import gpt2_and_llama, ring_slots, running_maximum, shared_heads
from .picture import BLUE, GREEN, HEADS, KEY, ORANGE, QUERY, VALUE, Picture, canvas, show
from .plots import (
    bars,
    beam_tree,
    curves,
    distributions,
    heat_map,
    lines,
    shaded_text,
    shades,
    training_runs,
)
from .positions import clock, padding_mask, rotations
from .tokens import merging, pieces
from .writing import (
    beams,
    by_heart,
    cache_over_time,
    examples_curves,
    nucleus,
    padded_batches,
    shift_by_one,
)

__all__ = [
    "BLUE",
    "GREEN",
    "HEADS",
    "KEY",
    "ORANGE",
    "QUERY",
    "VALUE",
    "Matrix",
    "Picture",
    "architecture",
    "attention_steps",
    "bars",
    "beam_tree",
    "beams",
    "body_and_heads",
    "by_heart",
    "cache_grids",
    "cache_over_time",
    "canvas",
    "clock",
    "curves",
    "distributions",
    "encoder_parts",
    "examples_curves",
    "feed_forward_steps",
    "gpt2_and_llama",
    "heat_map",
    "lens",
    "lines",
    "matrices",
    "merging",
    "multi_head",
    "norm_axes",
    "nucleus",
    "padded_batches",
    "padding_mask",
    "paths",
    "pieces",
    "residual_layers",
    "ring_slots",
    "rotations",
    "running_maximum",
    "scaled_to_circle",
    "shaded_text",
    "shades",
    "shared_heads",
    "shift_by_one",
    "show",
    "split_heads",
    "swiglu_steps",
    "training_runs",
    "transformer_kinds",
    "vectors",
    "xor_planes",
]
