"""What attention does, in boxes and arrows."""

from __future__ import annotations

import matplotlib
from matplotlib.patches import FancyBboxPatch

from .boxes import arrow, badge, box, sheet
from .picture import Picture, show


def architecture() -> Picture:
    """Draw the whole Transformer, with the number of the chapter that builds each part."""
    axes = sheet(360, 464)
    left, right, wide = 8, 192, 160

    def column(x, blocks, bottom):
        """Stack the blocks upwards from ``bottom`` with arrows between; return the top."""
        y = bottom
        for text, chapters, gap in blocks:
            if gap > 4:
                arrow(axes, (x + wide / 2, y), (x + wide / 2, y + gap))
            box(axes, x + 6, y + gap, wide - 12, 26, text, chapters)
            y += gap + 26
        return y

    for x, tokens in ((left, "source tokens"), (right, "tokens so far")):
        axes.text(x + wide / 2, 8, tokens, ha="center", va="bottom", fontsize=12.5)
        column(x, [("Embed + place", (5,), 18)], 26)
        arrow(axes, (x + wide / 2, 70), (x + wide / 2, 102))

    block = [("Feed-forward", (3,), 22), ("Add + normalise", (4,), 4)]
    first = [("Attention", (1, 2), 16), ("Add + normalise", (4,), 4)]
    top = column(left, first + block, 86)
    box(axes, left, 86, wide, top + 34 - 86, frame=True)
    axes.text(left + 10, top + 17, "Encoder layers", va="center", fontsize=12.5)
    badge(axes, left + wide - 19, top + 17, 6)
    encoder_top = top + 34

    masked = [("Masked attn.", (1, 2), 16), ("Add + normalise", (4,), 4)]
    cross = [("Cross-attn.", (1, 2), 22), ("Add + normalise", (4,), 4)]
    top = column(right, masked + cross + block, 86)
    box(axes, right, 86, wide, top + 34 - 86, frame=True)
    axes.text(right + 10, top + 17, "Decoder layers", va="center", fontsize=12.5)
    badge(axes, right + wide - 19, top + 17, 8)
    decoder_top = top + 34

    middle = left + wide / 2
    cross_y = 86 + 16 + 56 + 22 + 13
    arrow(axes, (middle, encoder_top), (middle, encoder_top + 40))
    arrow(
        axes,
        (middle, encoder_top + 16),
        (180, encoder_top + 16),
        (180, cross_y),
        (right + 6, cross_y),
    )
    box(axes, left + 6, encoder_top + 40, wide - 12, 26, "Head", (7,))
    arrow(axes, (middle, encoder_top + 66), (middle, encoder_top + 86))
    axes.text(middle, encoder_top + 90, "a label", ha="center", va="bottom", fontsize=12.5)

    middle = right + wide / 2
    arrow(axes, (middle, decoder_top), (middle, decoder_top + 18))
    box(axes, right + 6, decoder_top + 18, wide - 12, 26, "Head", (7,))
    arrow(axes, (middle, decoder_top + 44), (middle, decoder_top + 64))
    axes.text(middle, decoder_top + 68, "next token", ha="center", va="bottom", fontsize=12.5)
    return show(
        axes,
        "The Transformer, drawn from bottom to top in two columns. Left, the encoder: source "
        "tokens are embedded and given their places (chapter 5), then pass a stack of encoder "
        "layers (chapter 6), each of which is attention (chapters 1 and 2), add and normalise "
        "(chapter 4), feed-forward (chapter 3), add and normalise. A head (chapter 7) can turn "
        "the encoder's output into a label. Right, the decoder: the tokens written so far are "
        "embedded in the same way and pass a stack of decoder layers (chapter 8): masked "
        "attention, cross-attention, which also receives the encoder's output, and feed-forward, "
        "each followed by add and normalise. A head predicts the next token.",
        "The Transformer. The numbers say which chapter builds the part; dashed frames are "
        "repeated, six times each in the original.",
    )


def attention_steps() -> Picture:
    """Draw the computation of scaled dot-product attention, with the shape after each step."""
    axes = sheet(360, 322)
    steps = [
        ("query · key", "[queries, keys]", "scores"),
        ("÷ √d_k", "[queries, keys]", "scaled scores"),
        ("mask (optional)", "[queries, keys]", "−∞ where hidden"),
        ("softmax", "[queries, keys]", "each row sums to 1"),
        ("weights × value", "[queries, d_v]", "the update"),
    ]
    axes.text(80, 6, "query", ha="center", va="bottom", fontsize=12.5)
    axes.text(150, 6, "key", ha="center", va="bottom", fontsize=12.5)
    axes.text(28, 6, "value", ha="center", va="bottom", fontsize=12.5)
    arrow(axes, (80, 24), (80, 42))
    arrow(axes, (150, 24), (150, 42))
    arrow(axes, (28, 24), (28, 269), (52, 269))
    for i, (text, shape, meaning) in enumerate(steps):
        y = 42 + 53.5 * i
        if i:
            arrow(axes, (115, y - 26), (115, y))
        box(axes, 52, y, 128, 27, text)
        axes.text(190, y + 20, meaning, va="center", fontsize=12.5)
        axes.text(190, y + 4, shape, va="center", fontsize=12)
    return show(
        axes,
        "Scaled dot-product attention in five steps, from bottom to top. Query and key give the "
        "scores, of shape queries by keys; they are divided by the square root of d_k; a mask may "
        "set some to minus infinity; softmax makes each row sum to 1; the weights multiply the "
        "value, which gives the update, of shape queries by d_v.",
        "Scaled dot-product attention, from bottom to top: what each step makes, and its shape.",
    )


def multi_head() -> Picture:
    """Draw multi-head attention: heads side by side, concatenated, and one more projection."""
    axes = sheet(360, 300)
    axes.text(115, 4, "hidden states", ha="center", va="bottom", fontsize=12.5)
    for x, name in ((4, "head 0"), (80, "head 1"), (156, "head 11")):
        middle = x + 35
        arrow(axes, (115, 22), (115, 34), (middle, 34), (middle, 52))
        for i, letter in enumerate("QKV"):
            left = x + 1 + 23.5 * i
            style = "round,pad=0,rounding_size=4"
            axes.add_patch(FancyBboxPatch((left, 52), 21, 22, style, fc="none", ec="black"))
            axes.text(left + 10.5, 63, letter, ha="center", va="center", fontsize=12)
        arrow(axes, (middle, 74), (middle, 94))
        box(axes, x, 94, 70, 30)
        axes.text(middle, 109, "attention", ha="center", va="center", fontsize=12)
        axes.text(middle + 4, 131, name, ha="left", va="bottom", fontsize=11)
        arrow(axes, (middle, 124), (middle, 168))
    axes.text(153, 109, "…", ha="center", va="center", fontsize=12)
    box(axes, 4, 168, 222, 28)
    axes.text(115, 182, "concatenate", ha="center", va="center", fontsize=12.5)
    arrow(axes, (115, 196), (115, 222))
    box(axes, 40, 222, 150, 28)
    axes.text(115, 236, "output, W_O", ha="center", va="center", fontsize=12.5)
    arrow(axes, (115, 250), (115, 274))
    axes.text(115, 278, "new hidden states", ha="center", va="bottom", fontsize=12.5)
    for y, shape in (
        (12, "[tokens, hidden]"),
        (63, "[tokens, head_size]"),
        (109, "[tokens, head_size]"),
        (182, "[tokens, hidden]"),
        (236, "[tokens, hidden]"),
        (286, "[tokens, hidden]"),
    ):
        axes.text(242, y, shape, va="center", fontsize=11.5)
    return show(
        axes,
        "Multi-head attention from bottom to top. The same hidden states, of shape batch by tokens "
        "by hidden size, go into every head. Each head has its own three projections Q, K and V "
        "to vectors of the short head size, and its own attention. The results of all heads are "
        "concatenated to the hidden size again, and one last projection, W_O, mixes them.",
        "Every head reads the whole hidden state and returns a short vector for each token.",
    )


def split_heads() -> Picture:
    """Draw how one packed vector for each token is cut into heads, by a view and a transposition.

    Three tokens, hidden size 6, three heads: the number in a cell is its head.
    """
    axes = sheet(360, 372)
    names = ["time", "flies", "like"]
    colours = [(0, 0.45, 0.7, 0.28), (0.84, 0.37, 0, 0.28), (0, 0.62, 0.45, 0.28)]
    wide, high = 34, 24

    def cell(x, y, head, token=None):
        axes.add_patch(
            matplotlib.patches.Rectangle((x, y), wide, high, fc=colours[head], ec="black", lw=0.8)
        )
        axes.text(x + wide / 2, y + high / 2, str(head), ha="center", va="center", fontsize=12)

    def frame(x, y, width, height):
        box(axes, x - 4, y - 4, width + 8, height + 8, frame=True)

    def title(y, text, shape):
        axes.text(4, y, text, va="center", fontsize=12.5)
        axes.text(356, y, shape, va="center", ha="right", fontsize=12.5)

    title(358, "packed", "[tokens, hidden]")
    for t, name in enumerate(names):
        y = 322 - high * t
        axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
        for i in range(6):
            cell(62 + wide * i, y, i // 2)
    title(252, "cut each vector", "[tokens, heads, head_size]")
    for t, name in enumerate(names):
        y = 210 - (high + 12) * t
        axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
        for i in range(6):
            cell(62 + wide * i + 12 * (i // 2), y, i // 2)
        frame(62, y, 6 * wide + 24, high)
    title(116, "heads first", "[heads, tokens, head_size]")
    for h in range(3):
        left = 62 + h * (2 * wide + 22)
        for t, name in enumerate(names):
            y = 74 - high * t
            if h == 0:
                axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
            for i in range(2):
                cell(left + wide * i, y, h)
        frame(left, 74 - 2 * high, 2 * wide, 3 * high)
        axes.text(left + wide, 8, f"head {h}", ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Cutting packed vectors into heads, for three tokens, hidden size 6 and three heads. "
        "Packed: one row of six numbers for each token, the first two for head 0, the next two "
        "for head 1, the last two for head 2. Cut each vector: the same numbers in the same "
        "order, now three groups of two inside the frame of each token. Heads first: one frame "
        "for each head, which holds its two numbers of every token.",
        "A view and a transposition. The number in a cell says which head it belongs to; a dashed "
        "frame holds what is together in one matrix.",
    )
