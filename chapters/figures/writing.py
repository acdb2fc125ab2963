"""How texts are batched, predicted, cut and searched: drawings of chapters 7 and 8."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.patches import Rectangle

from .boxes import arrow, sheet
from .picture import BLUE, GREEN, KEY, ORANGE, QUERY, VALUE, Picture, canvas, show

SHADE = (0, 0.45, 0.7, 0.45)
LIGHT = (0, 0.45, 0.7, 0.13)


def padded_batches(drawn: Sequence[int], similar: Sequence[int], name: str) -> Picture:
    """Draw two batches, a bar for each text: its tokens filled, its padding hatched.

    Args:
        drawn: lengths of the texts of a batch that was drawn at random.
        similar: lengths of the texts of one whose lengths are similar.
        name: of the caption.
    """
    longest = max(*drawn, *similar)
    axes = sheet(360, 214)
    scale, bar = 160 / longest, 170 / len(drawn)

    def batch(left: float, title: str, lengths: Sequence[int]) -> None:
        axes.text(left, 202, title, va="center", fontsize=12.5)
        width = scale * max(lengths)
        for i, length in enumerate(lengths):
            y = 186 - bar * (i + 1)
            axes.add_patch(Rectangle((left, y), scale * length, bar, fc=BLUE, ec="none"))
        axes.add_patch(
            Rectangle((left, 186 - bar * len(lengths)), width, bar * len(lengths), fc="none",
                      ec="black", lw=1.2)
        )  # fmt: skip
        share = 1 - sum(lengths) / (max(lengths) * len(lengths))
        axes.text(left, 5, f"{share:.0%} padding", fontsize=12)

    batch(8, "drawn at random", drawn)
    batch(194, "of similar length", similar)
    return show(axes, name=name)


def shift_by_one(tokens: Sequence[str]) -> Picture:
    """Draw what goes in below, what is asked for above, each over the token before it."""
    axes = sheet(360, 172)
    shown = [token.replace(" ", "␣") for token in tokens]
    step = 300 / (len(tokens) - 1)
    for i in range(len(tokens) - 1):
        x = 52 + step * (i + 0.5)
        for y, text in ((22, shown[i]), (132, shown[i + 1])):
            axes.add_patch(Rectangle((x - 15, y - 12), 30, 24, fc=LIGHT, ec="black", lw=1.1))
            axes.text(x, y - 1, text, ha="center", va="center", fontsize=13)
        arrow(axes, (x, 34), (x, 62))
        arrow(axes, (x, 92), (x, 119))
    axes.add_patch(Rectangle((54, 62), 296, 30, fc="none", ec="black", lw=1.3))
    axes.text(202, 76, "decoder", ha="center", va="center", fontsize=13)
    for y, text in ((22, "goes in"), (132, "is asked")):
        axes.text(2, y, text, va="center", fontsize=12)
    for i in range(len(tokens) - 2):
        x = 52 + step * (i + 0.5)
        axes.annotate(
            "",
            xy=(x + step - 9, 35),
            xytext=(x + 9, 119),
            arrowprops={"arrowstyle": "-", "color": "#808080", "lw": 0.9, "ls": "dotted"},
        )
    axes.text(202, 160, "one prediction at every position", ha="center", fontsize=12.5)
    return show(
        axes,
        f"A row of tokens, {' '.join(shown[:-1])}, goes into a decoder from below. Above it stands "
        f"what is asked for at each position: {' '.join(shown[1:])}. Dotted lines show that each "
        "token that is asked for is the one that goes in at the next position.",
        "The shift by one. Dotted: what is asked for at one position goes in at the next.",
    )


def nucleus(
    contexts: Mapping[str, tuple[Sequence[float], Sequence[str]]], top_p: float, name: str
) -> Picture:
    """Draw each distribution as one bar of length 1, cut at ``top_p``: what is left may be drawn.

    Args:
        contexts: for each context the probabilities and the tokens that they belong to.
        top_p: where the cut is.
        name: of the caption.
    """
    axes = sheet(360, 44 + 66 * len(contexts))
    height, left, width = 44 + 66 * len(contexts), 10, 340
    for row, (context, (chances, tokens)) in enumerate(contexts.items()):
        pairs = zip((float(p) for p in chances), tokens, strict=True)
        y, x, before, kept = height - 66 * (row + 1), left, 0.0, 0
        for p, token in sorted(pairs, reverse=True):
            inside = before < top_p
            kept += inside
            if width * p < 1.5 and not inside:
                continue  # what is too narrow for a line of its own is drawn as one piece
            fill = SHADE if inside else "none"
            axes.add_patch(Rectangle((x, y), width * p, 28, fc=fill, ec="black", lw=0.8))
            if width * p > 11:
                label = {"\n": "⏎", " ": "␣"}.get(token, token)
                axes.text(x + width * p / 2, y + 13, label, ha="center", va="center", fontsize=12.5)
            x, before = x + width * p, before + p
        axes.add_patch(Rectangle((x, y), left + width - x, 28, fc="none", ec="black", lw=0.8))
        cut = left + width * top_p
        axes.plot([cut, cut], [y - 5, y + 33], color=ORANGE, lw=2.4)
        axes.text(left, y + 42, context, va="center", fontsize=12.5)
        may = f"{kept} of {len(tokens)} may be drawn"
        axes.text(left + width, y + 42, may, va="center", ha="right", fontsize=12)
    axes.text(left + width * top_p, 6, f"p = {top_p:g}", ha="center", fontsize=12)
    return show(axes, name=name)


def cache_over_time(tokens: Sequence[str]) -> Picture:
    """Draw what a cache holds after each token: a key and a value more at every step."""
    axes = sheet(360, 56 + 46 * len(tokens))
    top = 22 + 46 * len(tokens)
    for x, text in ((52, "reads"), (118, "asks"), (250, "keeps, for every later token")):
        axes.text(x, top + 20, text, ha="center", va="center", fontsize=12)
    for step, token in enumerate(tokens):
        y = top - 46 * (step + 1) + 8
        shown = token.replace(" ", "␣")
        axes.text(8, y + 13, f"{step + 1}", va="center", fontsize=12)
        axes.text(52, y + 13, shown, ha="center", va="center", fontsize=14)
        arrow(axes, (66, y + 13), (100, y + 13))
        cells = [(104, "Q", QUERY, True)]
        cells += [(150 + 44 * i, "K", KEY, i == step) for i in range(step + 1)]
        cells += [(170 + 44 * i, "V", VALUE, i == step) for i in range(step + 1)]
        for x, letter, colour, new in cells:
            axes.add_patch(
                Rectangle((x, y), 20, 26, fc="none", ec=colour, lw=2.2 if new else 1.0,
                          hatch="///" if new else None, alpha=1 if new else 0.9)
            )  # fmt: skip
            axes.text(
                x + 10, y + 12, letter, ha="center", va="center", fontsize=12,
                bbox={"fc": "#ffffff", "ec": "none", "pad": 0.6, "alpha": 0.85} if new else None,
                color="#010101" if new else "black",
            )  # fmt: skip
    return show(
        axes,
        f"{len(tokens)} steps, one below the other. In each a token is read and gives a query, a "
        "key and a value. The query is used at once and not kept. Key and value are put beside "
        "those of the earlier tokens: after step 1 the cache holds one pair, after step "
        f"{len(tokens)} it holds {len(tokens)}.",
        "What a layer's cache holds over time. Hatched: computed in this step. The rest is only "
        "read again.",
    )


def beams(steps: Sequence[Sequence[tuple[str, float, int]]], kept: int, name: str) -> Picture:
    """Draw a beam search: at each step the candidates, best first, joined to what they continue.

    Args:
        steps: for each step its candidates: the token, the log-probability of the text so far, and
            which of the survivors of the step before it continues.
        kept: how many survive each step; the others are crossed out.
        name: of the caption.
    """
    # SentencePiece marks the beginning of a word with a low bar, which no font draws like another.
    steps = [[(token.lstrip("▁") or "␣", *rest) for token, *rest in step] for step in steps]
    rows = max(len(step) for step in steps)
    axes = sheet(360, 34 * rows + 40)
    width = 352 / len(steps)

    def place(step: int, row: int) -> tuple[float, float]:
        return 6 + width * step, 34 * (rows - row) - 10

    for s, step in enumerate(steps):
        axes.text(place(s, 0)[0] + width / 2 - 6, 34 * rows + 24, f"step {s + 1}", ha="center",
                  va="center", fontsize=12)  # fmt: skip
        for row, (token, score, parent) in enumerate(step):
            x, y = place(s, row)
            alive = row < kept
            if s:
                start = place(s - 1, parent)
                axes.plot([start[0] + width - 17, x - 1], [start[1], y], color="black",
                          lw=1.6 if alive else 0.7, ls="-" if alive else ":")  # fmt: skip
            box = Rectangle((x, y - 14), width - 18, 28, fc=LIGHT if alive else "none",
                            ec="black" if alive else "#808080", lw=1.3 if alive else 0.8,
                            ls="-" if alive else "--")  # fmt: skip
            axes.add_patch(box)
            label = token if len(token) < 11 else f"{token[:9]}…"
            axes.text(x + 4, y + 6, label, va="center", fontsize=11.5)
            axes.text(x + 4, y - 7, f"{score:.2f}".replace("-", "−"), va="center", fontsize=10.5)
    words = "; ".join(
        f"step {s}: " + ", ".join(f"{token} {score:.2f}" for token, score, _ in step)
        for s, step in enumerate(steps, start=1)
    )
    return show(axes, name=name, numbers=f"Best first, {words}.")


def examples_curves(measured: pd.DataFrame, chance: float, name: str) -> Picture:
    """Draw accuracy over the number of examples, a line for each way to learn a task.

    Args:
        measured: with the columns ``method``, ``texts`` and ``accuracy``.
        chance: what guessing gives, drawn as a thin line.
        name: of the caption.
    """
    axes = canvas(360, 300)
    styles = {
        "character n-grams": ("D:", "black"),
        "frozen": ("s--", ORANGE),
        "lora": ("^-.", GREEN),
        "full": ("o-", BLUE),
    }
    axes.axhline(chance, color="#808080", lw=1.0)
    sizes = sorted(set(measured["texts"]))
    for method, (style, colour) in styles.items():
        line = measured[measured["method"] == method].groupby("texts")["accuracy"].mean()
        label = {"lora": "LoRA"}.get(method, method)
        axes.plot(line.index, line.values, style, color=colour, label=label, lw=1.6, ms=5.5)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.set_xlabel("examples")
    axes.set_ylabel("right")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, name=name)


def by_heart(training: Sequence[float], unseen: Sequence[float], name: str) -> Picture:
    """Draw two losses over epochs; where they part after the lowest, the gap is hatched."""
    axes = canvas(360, 280)
    epochs = list(range(1, len(unseen) + 1))
    best = min(range(len(unseen)), key=unseen.__getitem__)
    axes.plot(epochs, training, "-", color=BLUE, label="train", lw=1.6)
    axes.plot(epochs, unseen, "--", color=ORANGE, label="validation", lw=1.6)
    axes.fill_between(
        epochs[best:], training[best:], unseen[best:], facecolor="none", edgecolor="#808080",
        hatch="///", lw=0,
    )  # fmt: skip
    axes.axvline(best + 1, color="#808080", lw=1.2)
    axes.text(best + 0.7, max(unseen), "kept", ha="right", va="top", fontsize=12)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, name=name)
