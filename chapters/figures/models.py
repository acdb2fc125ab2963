"""Whole models, in boxes and arrows."""

from __future__ import annotations

import matplotlib
from matplotlib.patches import Polygon

from .boxes import arrow, box, sheet
from .picture import Picture, show


def encoder_parts() -> Picture:
    """Draw the encoder with a column for each token, so that it shows where tokens meet."""
    axes = sheet(360, 524)
    tokens = ["[CLS]", "time", "flies", "[SEP]"]
    xs = [112, 178, 244, 310]
    left, right = 84, 338

    def label(y, text):
        axes.text(4, y, text, va="center", fontsize=12.5)

    def up(y, end):
        for x in xs:
            arrow(axes, (x, y), (x, end))

    def wide(y, text, height=24):
        box(axes, left, y, right - left, height)
        middle = (left + right) / 2
        axes.text(middle, y + height / 2, text, ha="center", va="center", fontsize=12.5)

    for x, token in zip(xs, tokens, strict=True):
        axes.text(x, 12, token, ha="center", va="center", fontsize=12.5)
    rows = [
        ("word", ["101", "2051", "10029", "102"]),
        ("position", ["0", "1", "2", "3"]),
        ("segment", ["0", "0", "0", "0"]),
    ]
    for i, (name, ids) in enumerate(rows):
        y = 28 + 34 * i
        label(y + 12, name)
        for x, text in zip(xs, ids, strict=True):
            box(axes, x - 26, y, 52, 24)
            axes.text(x, y + 12, text, ha="center", va="center", fontsize=12)
            if i:
                axes.text(x, y - 5, "+", ha="center", va="center", fontsize=13)
    up(120, 136)
    wide(136, "Norm")
    up(160, 190)

    # one layer, unfolded
    axes.add_patch(
        matplotlib.patches.Rectangle((76, 176), 270, 256, fc="none", ec="black", ls="dashed")
    )
    label(410, "layer 0")
    label(226, "attention")
    for below in xs:
        for above in xs:
            axes.plot([below, above], [190, 250], color="#808080", lw=0.9)
    up(250, 262)
    for x in xs:
        axes.plot([x + 20, x + 20], [160, 262], color="black", lw=2.4)
    wide(262, "Add + norm")
    label(340, "feed-")
    label(325, "forward")
    for x in xs:
        arrow(axes, (x, 286), (x, 304))
        shape = [(x - 10, 304), (x + 10, 304), (x + 21, 326), (x - 21, 326)]
        axes.add_patch(Polygon(shape, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
        shape = [(x - 21, 326), (x + 21, 326), (x + 10, 348), (x - 10, 348)]
        axes.add_patch(Polygon(shape, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
        arrow(axes, (x, 348), (x, 368))
        axes.plot([x + 26, x + 26], [286, 368], color="black", lw=2.4)  # past it: the residual
    wide(368, "Add + norm")
    up(392, 446)
    wide(446, "layers 1 to 5: the same again")
    up(470, 492)
    for x in xs:
        box(axes, x - 26, 492, 52, 24)
        axes.text(x, 504, "384", ha="center", va="center", fontsize=12)
    label(510, "hidden")
    label(496, "states")
    return show(
        axes,
        "The encoder from bottom to top, with one column for each of the four tokens [CLS], time, "
        "flies, [SEP]. In each column the vectors of the word, the position and the segment are "
        "added, and the sum is normalised. A layer follows, in a dashed frame: attention, where "
        "lines run from every column to every other; add and normalise; feed-forward, once in "
        "each column; add and normalise. A thick line in each column, the residual, leads past "
        "attention and past feed-forward. Layers 1 to 5 are built in the same way. At the top "
        "there is one hidden state of 384 numbers for each token.",
        "The encoder, with a column for each token. Only attention crosses from one column to "
        "another; everything else treats each token by itself. Thick: the residuals.",
    )


def transformer_kinds() -> Picture:
    """Draw the three kinds of Transformer and, below each, who looks at whom."""
    axes = sheet(360, 330)
    centres = {"encoder-only": 56, "decoder-only": 166, "encoder–decoder": 290}
    for name, x in centres.items():
        axes.text(x, 318, name, ha="center", va="center", fontsize=12)

    def stack(x, width, text, below, above):
        axes.text(x, 166, below, ha="center", va="center", fontsize=11)
        arrow(axes, (x, 175), (x, 192))
        box(axes, x - width / 2, 192, width, 66)
        axes.text(x, 225, text, ha="center", va="center", fontsize=11.5)
        if above:
            arrow(axes, (x, 258), (x, 278))
            axes.text(x, 288, above, ha="center", va="center", fontsize=11)

    def grid(left, top, rows, columns, sees, colour, hatch):
        side = 13
        for i in range(rows):
            for j in range(columns):
                seen = sees(i, j)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + side * j, top - side * (i + 1)),
                        side,
                        side,
                        fc=colour if seen else "none",
                        hatch=hatch if seen else None,
                        ec="black" if seen else "#808080",
                        lw=0.7,
                    )
                )

    blue, orange = (0, 0.45, 0.7, 0.45), (0.84, 0.37, 0, 0.45)
    stack(56, 88, "encoder\nlayers", "text", "vectors")
    grid(30, 140, 4, 4, lambda i, j: True, blue, None)
    stack(166, 88, "decoder\nlayers", "text so far", "next token")
    grid(140, 140, 4, 4, lambda i, j: j <= i, blue, None)
    stack(256, 62, "encoder\nlayers", "source", None)
    stack(325, 62, "decoder\nlayers", "so far", "next token")
    arrow(axes, (256, 258), (256, 270), (290.5, 270), (290.5, 232), (294, 232))
    grid(230, 140, 4, 4, lambda i, j: True, blue, None)
    grid(230, 68, 3, 4, lambda i, j: True, orange, "///")
    grid(300, 140, 3, 3, lambda i, j: j <= i, blue, None)
    axes.text(56, 72, "both ways", ha="center", va="center", fontsize=11)
    axes.text(166, 72, "back only", ha="center", va="center", fontsize=11)
    axes.text(290, 68, "cross-", va="top", ha="left", fontsize=11)
    axes.text(290, 54, "attention", va="top", ha="left", fontsize=11)
    return show(
        axes,
        "Three kinds of Transformer; below each, a grid with a row for each query and a column for "
        "each key, filled where the query may look. Encoder-only: text goes in, vectors come out, "
        "and the grid is full. Decoder-only: the text so far goes in, the next token comes out, "
        "and only the diagonal and what lies to the left of it is filled. Encoder–decoder: a full "
        "grid for the source, a triangle for the text so far, and a third grid, three rows by four "
        "columns, full and hatched, in which the decoder's queries look at the encoder's keys.",
        "Who looks at whom, in the three kinds of Transformer. Row: query. Column: key. Hatched: "
        "cross-attention.",
    )


def cache_grids() -> Picture:
    """Draw what has to be computed for the fifth token, without a cache and with one."""
    axes = sheet(360, 214)
    side = 26

    def grid(left, title, fresh):
        axes.text(left, 196, title, va="center", fontsize=12.5)
        for i in range(5):
            for j in range(i + 1):
                new = fresh(i)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + side * j, 172 - side * (i + 1)),
                        side,
                        side,
                        fc=(0, 0.45, 0.7, 0.45) if new else "none",
                        hatch="///" if new else None,
                        ec="black" if new else "#808080",
                        lw=1.2 if new else 0.7,
                        zorder=2 if new else 1,
                    )
                )
        for i in range(5):
            axes.text(left + side * (i + 0.5), 30, str(i + 1), ha="center", fontsize=12)
            if left < 100:
                axes.text(left - 8, 172 - side * (i + 0.5), str(i + 1), va="center", ha="right")
        axes.text(left + 2.5 * side, 12, "key", ha="center", fontsize=12)

    grid(40, "without a cache", lambda i: True)
    grid(208, "with a cache", lambda i: i == 4)
    axes.text(12, 172 - 2.5 * side, "query", rotation=90, ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Two triangles of five queries and the keys up to each of them, at the moment when the "
        "fifth token has been chosen and the sixth is wanted. Without a cache all fifteen "
        "comparisons are computed again. With a cache only the last row, five comparisons of one "
        "new query.",
        "What is computed when the fifth token is read. Hatched: computed now. Empty: known "
        "from earlier steps.",
    )


def body_and_heads() -> Picture:
    """Draw an encoder body with a head on the whole text and a head on every token."""
    axes = sheet(360, 326)
    tokens = ["[CLS]", "time", "flies", "[SEP]"]

    def side(left, title):
        xs = [left + 21 + 41 * i for i in range(4)]
        axes.text(left + 82, 314, title, ha="center", va="center", fontsize=13)
        for x, token in zip(xs, tokens, strict=True):
            axes.text(x, 10, token, ha="center", va="center", fontsize=11.5)
            arrow(axes, (x, 20), (x, 36))
            arrow(axes, (x, 76), (x, 92))
            box(axes, x - 17, 92, 34, 22)
            axes.text(x, 103, "384", ha="center", va="center", fontsize=11.5)
        box(axes, left, 36, 164, 40)
        axes.text(left + 82, 56, "body: encoder", ha="center", va="center", fontsize=12.5)
        return xs

    def head(x, y, width, text):
        box(axes, x - width / 2, y, width, 26)
        axes.text(x, y + 13, text, ha="center", va="center", fontsize=12)

    xs = side(8, "one answer a text")
    for x in xs:
        arrow(axes, (x, 114), (x, 138))
    axes.add_patch(Polygon([(8, 138), (172, 138), (116, 172), (64, 172)], fc="none", ec="black"))
    axes.text(90, 153, "pooling", ha="center", va="center", fontsize=12.5)
    arrow(axes, (90, 172), (90, 190))
    box(axes, 73, 190, 34, 22)
    axes.text(90, 201, "384", ha="center", va="center", fontsize=11.5)
    arrow(axes, (90, 212), (90, 228))
    head(90, 228, 110, "linear: the head")
    arrow(axes, (90, 254), (90, 272))
    axes.text(90, 284, "4 logits, or a number", ha="center", va="center", fontsize=12)

    xs = side(190, "one answer a token")
    for x in xs:
        arrow(axes, (x, 114), (x, 228))
        head(x, 228, 36, "head")
        arrow(axes, (x, 254), (x, 272))
    axes.text(272, 284, "labels, or words", ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Twice the same body, an encoder that turns the four tokens [CLS], time, flies, [SEP] into "
        "four vectors of 384 numbers. Left, one answer a text: pooling makes one vector of the "
        "four, and a linear map, the head, makes four logits or a number of it. Right, one answer "
        "a token: the same small head stands on each of the four vectors and gives each token a "
        "label or a word.",
        "One body, two ways to put a head on it. From bottom to top.",
    )
