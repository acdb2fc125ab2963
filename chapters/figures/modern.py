"""What has changed since GPT-2: drawings of chapter 10."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from .boxes import arrow, box, sheet, tile
from .picture import BLUE, HEADS, KEY, ORANGE, QUERY, VALUE, Picture, show


def gpt2_and_llama() -> Picture:
    """Draw a layer of GPT-2 beside one of Llama, part by part."""
    axes = sheet(360, 372)
    columns = {
        "GPT-2, 2019": [
            "token + position",
            "LayerNorm",
            "12 query heads\n12 keys and values\nbiases",
            "LayerNorm",
            "up, GELU, down\nbiases",
            "LayerNorm",
            "logits: the table\nof tokens again",
        ],
        "Llama 3, 2024": [
            "token",
            "RMSNorm",
            "32 query heads, rotated\n8 keys, rotated, and values\nno biases",
            "RMSNorm",
            "gate, up, SiLU, down\nno biases",
            "RMSNorm",
            "logits: a matrix\nof their own",
        ],
    }
    heights = [26, 24, 60, 24, 42, 24, 42]
    for left, (title, parts) in zip((4, 184), columns.items(), strict=True):
        axes.text(left + 86, 360, title, ha="center", va="center", fontsize=13)
        y, middle = 6, left + 86
        for i, (text, height) in enumerate(zip(parts, heights, strict=True)):
            box(axes, left, y, 172, height)
            axes.text(middle, y + height / 2, text, ha="center", va="center", fontsize=11.5)
            y += height
            if i < len(parts) - 1:
                arrow(axes, (middle, y), (middle, y + 16))
                y += 16
    return show(
        axes,
        "Two columns, each from the tokens at the bottom to the logits at the top. GPT-2: token "
        "plus position; LayerNorm; attention with 12 query heads, 12 keys and values, and biases; "
        "LayerNorm; a feed-forward layer of up, GELU, down, with biases; LayerNorm; logits from "
        "the table of tokens. Llama 3: token alone; RMSNorm; attention with 32 query heads and 8 "
        "keys, both rotated, 8 values, and no biases; RMSNorm; a feed-forward layer of gate, up, "
        "SiLU, down, without biases; RMSNorm; logits from a matrix of their own.",
        "GPT-2 small and Llama 3 8B, from bottom to top. The second to the fifth box are one layer "
        "(its two residual connections are the same in both models, and left out here).",
    )


def shared_heads() -> Picture:
    """Draw which query heads share a key and a value, in the three kinds of attention."""
    axes = sheet(360, 262)
    kinds = {"multi-head": 6, "grouped-query": 2, "multi-query": 1}
    for row, (name, shared) in enumerate(kinds.items()):
        y = 196 - 86 * row
        axes.text(6, y + 22, name.replace("-", "-\n", 1), va="center", fontsize=12)
        group = 6 // shared
        centres = [96 + 47 * i for i in range(6)]
        for head, x in enumerate(centres):
            tile(axes, x - 17, y - 4, 34, 22, f"Q{head}", QUERY)
        for i in range(shared):
            members = centres[group * i : group * (i + 1)]
            middle = sum(members) / len(members)
            tile(axes, middle - 21, y + 32, 20, 22, f"K{i}", KEY)
            tile(axes, middle + 1, y + 32, 20, 22, f"V{i}", VALUE)
            for x in members:
                axes.plot([x, middle], [y + 18, y + 32], color="black", lw=1.1)
    return show(
        axes,
        "Three rows with six query heads each, Q0 to Q5. Multi-head attention: each has a key and "
        "a value of its own, K0 V0 to K5 V5. Grouped-query attention: Q0, Q1 and Q2 share K0 and "
        "V0; Q3, Q4 and Q5 share K1 and V1. Multi-query attention: all six share K0 and V0.",
        "Who shares a key and a value. What the cache keeps is the upper row of each kind.",
    )


def ring_slots(tokens: Sequence[str], window: int) -> Picture:
    """Draw a ring buffer over time: each token in the slot of its position modulo ``window``."""
    rows = len(tokens)
    axes = sheet(360, 58 + 30 * rows)
    top = 20 + 30 * rows
    axes.text(30, top + 22, "reads", ha="center", va="center", fontsize=12)
    width = 240 / window
    for slot in range(window):
        x = 100 + width * (slot + 0.5)
        axes.text(x, top + 22, f"slot {slot}", ha="center", va="center", fontsize=12)
    held: dict[int, int] = {}
    for step, token in enumerate(tokens):
        y = top - 30 * (step + 1) + 4
        held[step % window] = step
        axes.text(30, y + 12, f"{step}  {token}", ha="center", va="center", fontsize=12.5)
        arrow(axes, (58, y + 12), (92, y + 12))
        for slot in range(window):
            new = slot == step % window
            axes.add_patch(
                Rectangle(
                    (100 + width * slot, y), width, 24, ec="black" if slot in held else "#808080",
                    fc=(0, 0.45, 0.7, 0.3) if new else "none", lw=2.0 if new else 0.8,
                )
            )  # fmt: skip
            if slot in held:
                text = f"{held[slot]}  {tokens[held[slot]]}"
                middle = 100 + width * (slot + 0.5)
                axes.text(middle, y + 11, text, ha="center", va="center", fontsize=12.5)
    last = ", ".join(f"slot {slot} token {step}" for slot, step in sorted(held.items()))
    return show(
        axes,
        f"{rows} steps, one below the other, and {window} slots. Token {window - 1} fills the last "
        f"free slot; token {window} replaces token 0, and each later one the oldest. At the end "
        f"{last}.",
        "A ring buffer. Shaded: the slot in which the token of this step was put. What it held has "
        "just left the window.",
    )


def running_maximum(scores: Sequence[float], name: str) -> Picture:
    """Draw scores as they arrive, their running maximum, and the sum of exponentials so far.

    Args:
        scores: in the order in which they arrive.
        name: of the caption.
    """
    largest, total, maxima, totals = -math.inf, 0.0, [], []
    for score in scores:
        new = max(largest, score)
        total = total * math.exp(largest - new) + math.exp(score - new)
        largest = new
        maxima.append(largest)
        totals.append(total)
    figure = Figure(figsize=(360 / 72, 330 / 72), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    steps = range(1, len(scores) + 1)
    upper.plot(steps, scores, "o", color=BLUE, label="score")
    upper.step(steps, maxima, where="post", color=ORANGE, label="largest so far")
    upper.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    lower.plot(steps, totals, "s-", color=HEADS[0], lw=1.6, ms=5)
    upper.margins(y=0.12)
    upper.set_ylabel("score")
    lower.set_ylabel("sum so far")
    lower.set_xlabel("scores read")
    lower.set_ylim(bottom=0)
    return show(figure, name=name)
