"""Draw `chapters/_static/card.png`, which previews of links to the book show.

Run as a program after a change here. The lines are real: the attention of one head of MiniLM,
layer 5, head 10, which looks mostly at the next word.
"""

from __future__ import annotations

import io
from pathlib import Path

import torch
from matplotlib.figure import Figure
from PIL import Image

from solutions import load_checkpoint

CARD = Path(__file__).parents[2] / "_static" / "card.png"
WIDTH, HEIGHT = 1200, 630  # pixels: the shape that previews show uncut
GROUND, INK, LINE = "#123a66", "#ffffff", "#8ec5ff"
LAYER, HEAD = 4, 9  # counted from 0


def attention() -> tuple[list[str], torch.Tensor]:
    """Return the tokens of the book's sentence, and one head's weights for them."""
    checkpoint = load_checkpoint()
    inputs = checkpoint.tokenizer("time flies like an arrow", return_tensors="pt")
    with torch.no_grad():
        maps = checkpoint.load_model()(**inputs, output_attentions=True).attentions
    return checkpoint.tokenizer.convert_ids_to_tokens(inputs.input_ids[0]), maps[LAYER][0, HEAD]


def draw() -> Figure:
    """Return the card: the title above, the sentence twice below, and attention between."""
    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor=GROUND)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.axis("off")
    axes.text(70, 500, "The Transformer from scratch", color=INK, size=45, weight="bold")
    axes.text(
        70,
        435,
        "One block at a time in PyTorch, each checked against the library.",
        color=LINE,
        size=23,
    )
    tokens, weights = attention()
    places = [115 + 162 * i for i in range(len(tokens))]
    for i, query in enumerate(places):
        for j, key in enumerate(places):
            weight = weights[i, j].item()
            axes.plot((query, key), (285, 135), color=LINE, alpha=weight**0.7, lw=1 + 7 * weight)
    for height in (305, 85):
        for place, token in zip(places, tokens, strict=True):
            axes.text(place, height, token, color=INK, size=24, ha="center")
    return figure


if __name__ == "__main__":
    full = io.BytesIO()
    draw().savefig(full)
    Image.open(full).convert("RGB").quantize(48).save(CARD, optimize=True)
