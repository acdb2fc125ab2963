"""What attention does, in boxes and arrows."""

from __future__ import annotations

import matplotlib
from matplotlib.colors import to_rgba

from .boxes import arrow, badge, box, sheet, tile
from .picture import HEADS, KEY, QUERY, VALUE, Picture, show


def architecture() -> Picture:
    """Draw the whole Transformer, with the number of the chapter that builds each part."""
    axes = sheet(360, 438)
    left, right, wide = 5, 201, 154
    encoder = [("Attention", (1, 2), 20), ("Feed-forward", (3,), 26)]
    decoder = [
        ("Masked attn.", (1, 2), 20),
        ("Cross-attn.", (1, 2), 26),
        ("Feed-forward", (3,), 26),
    ]

    def stack(x, title, chapter, sublayers, around):
        """Draw a frame of sublayers; the residual passes on the side ``around``. Return the top."""
        inside, middle = (x + 16 if around == "left" else x + 4), x + wide / 2
        beside = x + 8 if around == "left" else x + wide - 8
        edge = inside if around == "left" else inside + wide - 20
        y = 86
        for text, chapters, gap in sublayers:
            arrow(axes, (middle, y), (middle, y + gap))
            box(axes, inside, y + gap, wide - 20, 26, text, chapters, size=12)
            box(axes, inside, y + gap + 30, wide - 20, 26, "Add + norm", (4,), size=12)
            branch, added = y + gap - 9, y + gap + 43
            arrow(axes, (middle, branch), (beside, branch), (beside, added), (edge, added))
            y += gap + 56
        box(axes, x, 86, wide, y + 34 - 86, frame=True)
        axes.text(x + 10, y + 17, title, va="center", fontsize=12.5)
        badge(axes, x + wide - 19, y + 17, chapter)
        return y + 34

    for x, tokens in ((left, "source tokens"), (right, "tokens so far")):
        middle = x + wide / 2
        axes.text(middle, 8, tokens, ha="center", va="bottom", fontsize=12.5)
        arrow(axes, (middle, 26), (middle, 44))
        box(axes, x + 2, 44, wide - 4, 26, "Embed + position", (5,))
        axes.plot([middle, middle], [70, 86], color="black", lw=1.4)
    encoder_top = stack(left, "Encoder layers", 6, encoder, "left")
    decoder_top = stack(right, "Decoder layers", 8, decoder, "right")

    middle, cross = left + wide / 2, 86 + 20 + 56 + 26 + 13
    arrow(axes, (middle, encoder_top), (middle, encoder_top + 40))
    arrow(
        axes,
        (middle, encoder_top + 16),
        (164, encoder_top + 16),
        (164, cross),
        (right + 4, cross),
    )
    query_at = right + wide / 2 - 22
    for x, y, letter, role in (
        (168, cross + 8, "K", KEY),
        (184, cross + 8, "V", VALUE),
        (query_at, cross - 36, "Q", QUERY),
    ):
        tile(axes, x, y, 15, 17, letter, role)
    box(axes, left + 6, encoder_top + 40, wide - 12, 26, "Head", (7,))
    arrow(axes, (middle, encoder_top + 66), (middle, encoder_top + 86))
    axes.text(middle, encoder_top + 90, "a label", ha="center", va="bottom", fontsize=12.5)

    middle = right + wide / 2
    arrow(axes, (middle, decoder_top), (middle, decoder_top + 16))
    box(axes, right + 6, decoder_top + 16, wide - 12, 26, "Head", (7,))
    arrow(axes, (middle, decoder_top + 42), (middle, decoder_top + 58))
    axes.text(middle, decoder_top + 60, "next token", ha="center", va="bottom", fontsize=12.5)
    return show(
        axes,
        "The Transformer, drawn from bottom to top in two columns. Left, the encoder: source "
        "tokens are embedded and given their positions (chapter 5), then pass a stack of encoder "
        "layers (chapter 6), each of which is attention (chapters 1 and 2), add and normalise "
        "(chapter 4), feed-forward (chapter 3), add and normalise. A head (chapter 7) can turn "
        "the encoder's output into a label. Right, the decoder: the tokens written so far are "
        "embedded in the same way and pass a stack of decoder layers (chapter 8): masked "
        "attention, cross-attention, whose keys and values come from the encoder's output and "
        "whose queries come from below, and feed-forward, each followed by add and normalise. "
        "Around each sublayer a line, the residual, leads to the addition after it. A head "
        "predicts the next token.",
        "The Transformer. The numbers say which chapter builds the part; dashed frames are "
        "repeated, six times each in the original. Lines around a part are the residuals.",
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
    for x, role, colour in ((28, "value", VALUE), (84, "query", QUERY), (146, "key", KEY)):
        tile(axes, x - 24, 2, 48, 22, role, colour)
    arrow(axes, (84, 24), (84, 42))
    arrow(axes, (146, 24), (146, 42))
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
    axes = sheet(360, 352)
    columns = ((2, "head 0"), (76, "head 1"), (170, "head 11"))
    wide = 70
    box(axes, 2, 4, 238, 26)
    axes.text(121, 17, "hidden states", ha="center", va="center", fontsize=12.5)
    axes.plot([14, 228], [44, 44], color="black", lw=1.4)
    arrow(axes, (121, 30), (121, 44))
    for (x, name), colour in zip(columns, HEADS, strict=True):
        for i, (letter, role) in enumerate(zip("QKV", (QUERY, KEY, VALUE), strict=True)):
            middle = x + 12 + 23 * i
            arrow(axes, (middle, 44), (middle, 62))
            tile(axes, middle - 10, 62, 20, 24, letter, role)
            arrow(axes, (middle, 86), (middle, 108))
        tile(axes, x, 108, wide, 46, "", colour)
        axes.text(x + wide / 2, 143, name, ha="center", va="center", fontsize=12)
        axes.text(x + wide / 2, 122, "attention", ha="center", va="center", fontsize=12)
        arrow(axes, (x + wide / 2, 154), (x + wide / 2, 192))
        tile(axes, x, 192, wide, 26, name, colour)
    for y in (74, 131, 205):
        axes.text(158, y, "…", ha="center", va="center", fontsize=13)
    arrow(axes, (121, 218), (121, 248))
    box(axes, 46, 248, 150, 28)
    axes.text(121, 262, "output, W_O", ha="center", va="center", fontsize=12.5)
    arrow(axes, (121, 276), (121, 304))
    box(axes, 2, 304, 238, 26)
    axes.text(121, 317, "new hidden states", ha="center", va="center", fontsize=12.5)
    for y, shape in (
        (17, "[tokens, hidden]"),
        (74, "[tokens, head_size]"),
        (131, "[tokens, head_size]"),
        (214, "concatenated:"),
        (198, "[tokens, hidden]"),
        (262, "[tokens, hidden]"),
        (317, "[tokens, hidden]"),
    ):
        axes.text(247, y, shape, va="center", fontsize=11.5)
    return show(
        axes,
        "Multi-head attention from bottom to top. The same hidden states go along a line to every "
        "head, and in each head to all three of its projections: Q, K and V, to vectors of the "
        "short head size. All three go into the head's own attention. The results of the heads "
        "lie side by side, concatenated to the hidden size again, and one last projection, W_O, "
        "mixes them.",
        "Every head reads the whole hidden state, three times, and returns a short vector for each "
        "token. A head has the same colour throughout this chapter.",
    )


def split_heads() -> Picture:
    """Draw how one packed vector for each token is cut into heads, by a view and a transposition.

    Three tokens, hidden size 6, three heads: the number in a cell is its head.
    """
    axes = sheet(360, 372)
    names = ["time", "flies", "like"]
    colours = [to_rgba(colour, 0.3) for colour in HEADS]
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
