"""What a layer is made of, in boxes and arrows."""

from __future__ import annotations

import math

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from .boxes import arrow, box, sheet
from .picture import BLUE, ORANGE, Picture, show


def norm_axes() -> Picture:
    """Draw which numbers share a mean and a variance: one token's, or one feature's."""
    axes = sheet(360, 226)
    names = ["time", "flies", "like", "fruit", "flies", "like"]
    wide, high = 25, 20

    def grid(left, title, subtitle, chosen):
        axes.text(left, 208, title, va="center", fontsize=13)
        axes.text(left, 190, subtitle, va="center", fontsize=12)
        for t in range(6):
            y = 152 - high * t - (12 if t > 2 else 0)
            for i in range(5):
                inside = chosen(t, i)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + wide * i, y),
                        wide,
                        high,
                        fc=(0, 0.45, 0.7, 0.45) if inside else "none",
                        ec="black" if inside else "#808080",
                        hatch="///" if inside else None,
                        lw=1.6 if inside else 0.6,
                        zorder=2 if inside else 1,
                    )
                )
            if left < 100:
                axes.text(left - 6, y + high / 2, names[t], ha="right", va="center", fontsize=12)
        axes.text(left, 14, "hidden →", va="center", fontsize=12)

    grid(54, "LayerNorm", "one token", lambda t, i: t == 1)
    grid(216, "BatchNorm", "one feature", lambda t, i: i == 1)
    return show(
        axes,
        "Two copies of a table with the six tokens of two sentences as rows and five hidden "
        "numbers as columns. Left, LayerNorm: one row is marked; the numbers of one token share a "
        "mean and a variance. Right, BatchNorm: one column is marked; one number of all tokens of "
        "both sentences shares a mean and a variance.",
        "Hatched: the numbers that share one mean and one variance.",
    )


def residual_layers() -> Picture:
    """Draw an encoder layer in post-norm and in pre-norm, the residual path as a thick line."""
    axes = sheet(360, 336)

    def path(x, start, end):
        axes.plot([x, x], [start, end], color="black", lw=3.4, solid_capstyle="butt")

    def plus(x, y):
        axes.add_patch(Circle((x, y), 8, fc="none", ec="black", lw=1.4))
        axes.plot([x - 4.5, x + 4.5], [y, y], color="black", lw=1.4)
        axes.plot([x, x], [y - 4.5, y + 4.5], color="black", lw=1.4)

    def branch(x, start, boxes, end):
        """Leave the path, pass the boxes from bottom to top, and come back to a plus."""
        middle = x + 84
        y = start + 12
        arrow(axes, (x, start), (middle, start), (middle, y))
        for i, text in enumerate(boxes):
            if i:
                arrow(axes, (middle, y), (middle, y + 10))
                y += 10
            box(axes, x + 32, y, 104, 25, text)
            y += 25
        arrow(axes, (middle, y), (middle, end), (x + 8, end))
        plus(x, end)

    for left, title in ((28, "post-norm"), (216, "pre-norm")):
        axes.text(left - 20, 322, title, va="center", fontsize=13.5)
        axes.text(left, 4, "x", ha="center", va="bottom", fontsize=12.5)

    x = 28
    path(x, 22, 80)
    branch(x, 32, ["Attention"], 88)
    path(x, 96, 106)
    box(axes, x - 20, 106, 58, 25, "Norm")
    path(x, 131, 190)
    branch(x, 142, ["Feed-forward"], 198)
    path(x, 206, 216)
    box(axes, x - 20, 216, 58, 25, "Norm")
    arrow(axes, (x, 241), (x, 266))

    x = 216
    path(x, 22, 112)
    branch(x, 32, ["Norm", "Attention"], 120)
    path(x, 128, 222)
    branch(x, 142, ["Norm", "Feed-forward"], 230)
    path(x, 238, 256)
    arrow(axes, (x, 254), (x, 270))
    box(axes, x - 20, 270, 58, 25, "Norm", frame=True)
    axes.text(x + 46, 282, "once, at the", va="center", fontsize=11.5)
    axes.text(x + 46, 269, "end of the stack", va="center", fontsize=11.5)
    arrow(axes, (x, 295), (x, 311))
    return show(
        axes,
        "An encoder layer from bottom to top, twice; a thick line is the residual path. Left, "
        "post-norm: attention leaves the path and is added back, then a normalisation stands on "
        "the path itself; the same again with feed-forward. Right, pre-norm: a normalisation "
        "stands in the side branch before attention, and another before feed-forward; the thick "
        "path runs from the input to the top with nothing but additions. One more normalisation, "
        "with a dashed frame, stands at the end of the whole stack.",
        "One encoder layer in post-norm and in pre-norm. Thick: the residual path. In post-norm "
        "it passes through every normalisation, in pre-norm through none.",
    )


def xor_planes() -> Picture:
    """Draw "exactly one of the two" before and after a wide layer has moved the four cases."""
    figure = Figure(figsize=(360 / 72, 236 / 72))
    cases = {"neither": (0, 0), "only a": (1, 0), "only b": (0, 1), "both": (1, 1)}
    moved = {
        name: (max(a + b, 0), max(a + b - 1, 0)) for name, (a, b) in cases.items()
    }  # what the two ReLU neurons make of a case
    panels = [
        (
            cases,
            "a",
            "b",
            {"neither": (9, -3), "only a": (-4, 9), "only b": (9, 0), "both": (-30, 9)},
        ),
        (moved, "h₁", "h₂", {"neither": (-8, 11), "only a": (10, -11), "both": (-34, -2)}),
    ]
    for panel, (points, x_title, y_title, labels) in enumerate(panels):
        axes = figure.add_axes((0.115 + 0.5 * panel, 0.2, 0.375, 0.76))
        axes.set_xlim(-0.25, 1.4 if panel == 0 else 2.4)
        axes.set_ylim(-0.25, 1.4)
        axes.set_xticks([0, 1] if panel == 0 else [0, 1, 2])
        axes.set_yticks([0, 1])
        axes.set_xlabel(x_title)
        axes.set_ylabel(y_title, rotation=0, labelpad=8)
        for name, (x, y) in points.items():
            one = name.startswith("only")
            axes.plot([x], [y], "s" if one else "o", color=BLUE, ms=9, mfc=BLUE if one else "none")
            if name in labels:
                text = "only a,\nonly b" if panel and one else name
                axes.annotate(
                    text, (x, y), xytext=labels[name], textcoords="offset points", fontsize=12
                )
    axes.plot([0.2, 2.4], [-0.15, 0.95], color=ORANGE, ls="--", lw=1.8)
    return show(
        figure,
        "Two planes with the same four cases. Left, the numbers a and b: the two cases whose "
        "answer is 1 are opposite corners of a square, and no straight line has them on one side "
        "and the other two on the other. Right, the numbers h1 and h2 after the wide layer: both "
        "of these cases have moved to the point (1, 0), 'neither' stays at (0, 0), 'both' goes to "
        "(2, 1), and a dashed straight line has the point (1, 0) alone on its lower side.",
        "Filled squares: the answer is 1. Before the wide layer no straight line separates them "
        "from the others; after it, one does.",
    )


def scaled_to_circle() -> Picture:
    """Draw what RMS normalisation does to vectors of two numbers."""
    axes = sheet(360, 300)
    unit, x0, y0 = 58.0, 180.0, 150.0
    vectors = [(0.45, 0.3), (2.2, 0.9), (-0.8, 2.0), (-2.3, -0.7), (0.5, -0.6), (-0.35, 0.2)]
    axes.add_patch(Circle((x0, y0), unit * math.sqrt(2), fc="none", ec="#808080", lw=1.0, zorder=1))
    style = {"arrowstyle": "-|>", "lw": 2.2, "shrinkA": 0, "shrinkB": 0}
    for x, y in vectors:
        size = math.sqrt((x * x + y * y) / 2)
        start, end = (x0 + unit * x, y0 + unit * y), (x0 + unit * x / size, y0 + unit * y / size)
        axes.plot([x0, start[0]], [y0, start[1]], color="#808080", lw=1.2, ls=":")
        axes.plot([start[0]], [start[1]], "o", color="#808080", ms=6)
        axes.annotate("", xy=end, xytext=start, arrowprops=style | {"color": BLUE})
    axes.plot([x0], [y0], "o", color="black", ms=3)
    axes.text(x0 + 66, y0 - 66, "size 1", fontsize=12.5)
    return show(
        axes,
        "Six vectors of two numbers, dotted from the origin, some short and some long. A thick "
        "arrow moves the tip of each along its own direction onto a circle: short ones outwards, "
        "long ones inwards.",
        "RMS normalisation of vectors of two numbers (grey dots): the direction stays, the size "
        "becomes 1. The circle has radius √2, since two numbers of size 1 make a vector of that "
        "length.",
    )


def feed_forward_steps() -> Picture:
    """Draw the feed-forward layer for one token: narrow, wide, wide, narrow."""
    axes = sheet(360, 300)
    middle, narrow, wide = 130, 62, 240

    def vector(y, width, text):
        box(axes, middle - width / 2, y, width, 26)
        axes.text(middle, y + 13, text, ha="center", va="center", fontsize=12.5)

    def linear(y, below, above, text):
        corners = [(-below, y), (below, y), (above, y + 46), (-above, y + 46)]
        shape = [(middle + x / 2, height) for x, height in corners]
        axes.add_patch(Polygon(shape, fc="none", ec="black", lw=1.2, ls="dashed"))
        axes.text(middle, y + 23, text, ha="center", va="center", fontsize=12)

    steps = [(44, "x"), (116, "pre"), (186, "wide"), (258, "update")]
    axes.text(middle, 4, "one token", ha="center", va="bottom", fontsize=12.5)
    arrow(axes, (middle, 22), (middle, 44))
    vector(44, narrow, "384")
    linear(70, narrow, wide, "first map")
    vector(116, wide, "1536 = 4 × 384")
    arrow(axes, (middle, 142), (middle, 186))
    axes.text(middle + 10, 164, "activation", va="center", fontsize=12.5)
    vector(186, wide, "1536")
    linear(212, wide, narrow, "second map")
    vector(258, narrow, "384")
    for y, name in steps:
        axes.text(262, y + 13, name, va="center", fontsize=12.5)
    return show(
        axes,
        "The feed-forward layer for one token, from bottom to top. A vector x of 384 numbers; a "
        "linear map makes it four times as wide, 1536 numbers, called pre; the activation is "
        "applied to each of them, which gives the wide vector; a second linear map brings it back "
        "to 384 numbers, the update.",
        "The feed-forward layer for one token, from bottom to top, with MiniLM's sizes. Every "
        "token passes the same weights, by itself.",
    )


def swiglu_steps() -> Picture:
    """Draw the gated feed-forward layer for one token."""
    axes = sheet(360, 296)
    left, right, middle = 90, 270, 180
    axes.text(middle, 4, "x: 384", ha="center", va="bottom", fontsize=12.5)
    arrow(axes, (middle, 24), (middle, 38), (left, 38), (left, 58))
    arrow(axes, (middle, 38), (right, 38), (right, 58))
    for x, text in ((left, "gate map"), (right, "first map")):
        box(axes, x - 70, 58, 140, 27)
        axes.text(x, 71.5, text, ha="center", va="center", fontsize=12.5)
        axes.text(x + 8, 98, "1024", va="center", fontsize=12)
    arrow(axes, (left, 85), (left, 112))
    box(axes, left - 70, 112, 140, 27)
    axes.text(left, 125.5, "SiLU", ha="center", va="center", fontsize=12.5)
    arrow(axes, (left, 139), (left, 180), (middle - 14, 180))
    arrow(axes, (right, 85), (right, 180), (middle + 14, 180))
    axes.add_patch(Circle((middle, 180), 14, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
    axes.text(middle, 179, "×", ha="center", va="center", fontsize=16)
    axes.text(left - 8, 160, "how much", ha="right", va="center", fontsize=12)
    axes.text(right + 8, 160, "of what", va="center", fontsize=12)
    arrow(axes, (middle, 194), (middle, 222))
    axes.text(middle + 8, 207, "1024", va="center", fontsize=12)
    box(axes, middle - 70, 222, 140, 27)
    axes.text(middle, 235.5, "second map", ha="center", va="center", fontsize=12.5)
    arrow(axes, (middle, 249), (middle, 272))
    axes.text(middle, 274, "update: 384", ha="center", va="bottom", fontsize=12.5)
    return show(
        axes,
        "SwiGLU for one token, from bottom to top. A vector x of 384 numbers goes through two "
        "linear maps side by side, each to 1024 numbers. The left one, the gate, passes through "
        "SiLU. The two are multiplied number by number, and a last linear map brings the result "
        "back to 384 numbers.",
        "SwiGLU: the gate says how much, the other map says of what. The width 1024 is 8/3 of 384.",
    )
