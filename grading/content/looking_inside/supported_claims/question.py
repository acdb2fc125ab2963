"""Exercise 5: which of five claims a table of measurements and controls supports."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.drawing import draw_integer, one_of
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import CLAIMS
from grading.exercise import Case, Part, Question
from grading.exercise.edits import Edits


def supported_claims(table):
    """The letters of the claims, A to E, that the numbers of a table support."""
    head, loss = table["head"], table["loss"]
    by_mean = table["mean_ablated"] - loss[:, None]  # [seeds, heads]
    by_zero = table["zero_ablated"] - loss[:, None]
    by_chance = table["random"] - loss[:, None, None]  # [seeds, searches, heads]
    own, zeroed, random = by_mean.mean(0), by_zero.mean(0), by_chance.mean(0)
    best = own.max()
    winners = random.amax(1)
    as_large = (random >= own[head]).float().mean()
    as_good = (winners >= best).float().mean()
    runs = by_mean[:, head]
    error = runs.std() / math.sqrt(len(runs))
    gain = runs.mean() - by_chance.mean()
    first, second = own.argmax() == head, zeroed.argmax() == head
    learned = (table["probe"] > table["untrained"]).all()
    meant = (table["probe"] > table["random_labels"]).all()
    supported = {
        "A": as_large < 0.05,
        "B": as_good < 0.05,
        "C": gain > 2 * error,
        "D": first and second,
        "E": learned and meant,
    }
    return [letter for letter, yes in supported.items() if yes]


# ---- Tables --------------------------------------------------------------------------------------


def _table(generator: torch.Generator, seeds: int, heads: int, searches: int) -> dict:
    """Draw a table; each claim is supported or not by itself, often by little."""

    def normal(*shape, size=1.0):
        return size * torch.randn(*shape, generator=generator)

    def chosen(*choices):
        return one_of(generator, *choices)

    level = chosen(0.0, 0.03)  # removing anything costs that much
    random = level + normal(searches, heads, size=0.03)
    if chosen(True, False):  # a few directions cost much more, several of them in one search
        few = torch.rand(searches, 1, generator=generator) < chosen(0.02, 0.05, 0.1)
        some = torch.rand(searches, heads, generator=generator) < chosen(0.3, 0.9)
        random = random + chosen(0.1, 0.3) * (few & some)
    random = random + normal(seeds, searches, heads, size=0.02) + normal(seeds, 1, 1, size=0.03)
    control = random.mean()
    head = draw_integer(generator, 0, heads - 1)
    gain = chosen(-0.1, 0.012, 0.03, 0.045, 0.06, 0.07, 0.1, 0.14)
    limit = chosen(0.7, 0.95, 1.3, 1.86, 2.13, 2.3, 4.0, 9.0)  # how many standard errors it is
    spread = normal(seeds)
    spread = (spread - spread.mean()) / spread.std()
    effects = level + normal(heads, size=0.025) + normal(seeds, heads, size=0.02)
    other = (head + draw_integer(generator, 1, heads - 1)) % heads
    effects[:, other] += chosen(0.0, 0.0, 0.07, 0.11, 0.15, -0.15)
    runs = control + gain + abs(gain) / limit * math.sqrt(seeds) * spread
    zeroed = effects + 0.05 + normal(heads, size=0.02) + normal(seeds, heads, size=0.01)
    own_zeroed = runs + chosen(-0.06, -0.03, 0.0, 0.03, 0.06)
    if chosen(True, False):  # no other head has more, in one way or in the other
        effects = effects - (effects.mean(0) - runs.mean() + 0.015).clamp(min=0)
    if chosen(True, False):
        zeroed = zeroed - (zeroed.mean(0) - own_zeroed.mean() + 0.015).clamp(min=0)
    effects[:, head], zeroed[:, head] = runs, own_zeroed
    loss = 2.5 + normal(seeds, size=0.3)
    each = chosen(0.4, 0.62) + normal(seeds, size=0.05)  # with some seeds all is easier
    untrained = each + normal(seeds, size=0.02)
    labels = each - chosen(0.0, 0.07) + normal(seeds, size=0.02)
    probe = torch.maximum(untrained, labels) + 0.02 + 0.1 * torch.rand(seeds, generator=generator)
    bad = draw_integer(generator, 0, seeds - 1)
    what = chosen(
        *("good", "good", "one untrained", "one labels", "untrained", "labels", "most", "as good"),
        "by little",
    )
    if what == "one untrained":
        untrained[bad] = probe[bad] + chosen(0.02, 0.25)
    if what == "one labels":
        labels[bad] = probe[bad] + chosen(0.02, 0.25)
    if what == "untrained":
        untrained = probe + 0.03
    if what == "labels":
        labels = probe + 0.03
    if what == "as good":  # with one seed, as one of the controls
        chosen(untrained, labels)[bad] = probe[bad]
    if what == "by little":
        chosen(untrained, labels)[bad] = probe[bad] - 0.003
    if what == "most":  # only one seed is good
        untrained, labels = probe + 0.03, probe + 0.03
        untrained[bad] = labels[bad] = probe[bad] - 0.02
    return {
        "loss": loss,
        "mean_ablated": loss[:, None] + effects,
        "zero_ablated": loss[:, None] + zeroed,
        "random": loss[:, None, None] + random,
        "head": head,
        "probe": probe,
        "untrained": untrained,
        "random_labels": labels,
    }


def _is_safe(table: dict) -> bool:
    """Whether no rounding, no 1.96 in place of 2, and no sign changes what a table supports."""
    effects = table["mean_ablated"] - table["loss"][:, None]
    zeroed = (table["zero_ablated"] - table["loss"][:, None]).mean(0)
    random = table["random"] - table["loss"][:, None, None]
    head, single = table["head"], random.mean(0)
    own, runs = effects.mean(0), effects[:, head]
    errors = float((runs.mean() - random.mean()) / (runs.std() / math.sqrt(len(runs))))
    winners = single.amax(1)
    shares = [  # a quantile, interpolated in whatever way, says the same as a share
        float((chance >= effect).sum()) - 0.05 * chance.numel()
        for chance, effect in ((single, own[head]), (winners, own.max()))
    ]
    gaps = [single - own[head], winners - own.max()]
    tops = [effect.topk(2).values.diff() for effect in (own, zeroed)]
    clear = (
        abs(errors - 2) > 0.08
        and all(abs(share) > 0.6 for share in shares)
        and all(bool((gap.abs() > 1e-5).all()) for gap in gaps)
        and all(bool((top.abs() > 1e-4).all()) for top in tops)
    )
    # a head that matters has a positive effect, whatever it is compared with
    least = {"ACD": own[head], "B": own.max(), "D": zeroed[head]}
    said = set(supported_claims(table)) if clear else set()
    return clear and not any(said & set(ids) and effect < 1e-4 for ids, effect in least.items())


def _tables(generator: torch.Generator, letters: str, *sizes: tuple[int, int, int]) -> list[dict]:
    """Draw tables on which each known mistake in the claims of these letters shows.

    So does each of ``_UNNAMED``, and no two known mistakes say the same of all tables.
    """
    from . import EXERCISE  # which has the bank, that stands on this module

    ids = [m for m in EXERCISE.mistakes if m.id[:2] in [f"{x.lower()}_" for x in letters]]
    forms = [(m.id, f"{m.id}~{n}") for m in ids for n in range(len(m.other_forms) + 1)]
    pairs = {("", name) for _, name in forms}
    pairs |= {("", name) for name in _HEAD_0 if letters != "B"}
    pairs |= {(a, b) for one, a in forms for other, b in forms if one < other}
    pairs |= {("", f"{x}{n}") for x in letters for n in range(len(_UNNAMED.get(x, ())))}
    left = set(pairs)
    tables: list[dict] = []
    for number in range(5000):
        table = _table(generator, *sizes[number % len(sizes)])
        if not _is_safe(table):
            continue
        if _told_apart(table, letters, left):
            tables.append(table)
            left -= _told_apart(table, letters, left)
        if not left:
            return _without_idle(tables, letters, pairs)
    raise ValueError(f"No tables were found that tell apart {sorted(left)}.")


def _told_apart(table: dict, letters: str, pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those pairs of mistakes, or of a mistake and the right one, that differ on a table."""
    said = {
        name: _said(_wrong(name), table, letters) for name in {n for pair in pairs for n in pair}
    }
    return {(a, b) for a, b in pairs if said[a] != said[b]}


def _without_idle(tables: list[dict], letters: str, pairs: set[tuple[str, str]]) -> list[dict]:
    """As few of the tables as tell all pairs apart, or nearly so."""
    told = [_told_apart(table, letters, pairs) for table in tables]
    left, kept = set(pairs), set()
    while left:
        best = max(range(len(tables)), key=lambda place: len(told[place] & left))
        kept.add(best)
        left -= told[best]
    return [tables[place] for place in sorted(kept)]


def _said(function: Callable, table: dict, letters: str) -> set[str]:
    return set(function(table)) & set(letters)


@functools.cache
def _wrong(name: str) -> Callable:
    from . import EXERCISE

    if name[:1] in _UNNAMED:
        return EXERCISE.mutant(_UNNAMED[name[0]][int(name[1:])])
    return EXERCISE.wrong(name) if name else supported_claims


def _claims_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, letters, tables, **options):
        arguments = (("claims", letters), ("tables", tables))
        return Case(title, part, arguments, harness=harnesses.on_tables, **options)

    again = [[_table(generator, 4, 5, 30) for _ in range(2)] for _ in range(2)]
    while not all(_is_safe(table) for tables in again for table in tables) or _all_alike(again):
        again = [[_table(generator, 4, 5, 30) for _ in range(2)] for _ in range(2)]
    return [
        case("A and E", "core", "AE", _tables(generator, "AE", (4, 8, 30), (5, 5, 50))),
        case("called again, other tables", "core", "AE", again[0], again=(("AE", again[1]),)),
        case("B", "best", "B", _tables(generator, "B", (4, 8, 50), (5, 6, 70))),
        case("C", "spread", "C", _tables(generator, "C", (5, 6, 30), (6, 5, 30))),
        case("D", "ways", "D", _tables(generator, "D", (5, 7, 30), (4, 6, 30))),
    ]


def _all_alike(again: list[list[dict]]) -> bool:
    one, other = ([_said(supported_claims, table, "AE") for table in tables] for tables in again)
    return any(a == b for a, b in zip(one, other, strict=True))


# ---- Other ways to write it ----------------------------------------------------------------------


def _in_python(table):
    """Lists and the statistics module."""
    import statistics

    loss, head = table["loss"].tolist(), table["head"]
    seeds = range(len(loss))

    def means(losses):
        columns = zip(*losses.tolist(), strict=True)
        return [statistics.fmean(x - y for x, y in zip(c, loss, strict=True)) for c in columns]

    own, zero = means(table["mean_ablated"]), means(table["zero_ablated"])
    searches = table["random"].size(1)
    random = [means(table["random"][:, search]) for search in range(searches)]
    every = [effect for search in random for effect in search]
    runs = [float(table["mean_ablated"][s, head]) - loss[s] for s in seeds]
    claims = ""
    if sum(effect >= own[head] for effect in every) < len(every) / 20:
        claims += "A"
    if sum(max(search) >= max(own) for search in random) < searches / 20:
        claims += "B"
    limit = 2 * statistics.stdev(runs) / len(runs) ** 0.5
    if statistics.fmean(runs) - statistics.fmean(every) > limit:
        claims += "C"
    if max(own) == own[head] and max(zero) == zero[head]:
        claims += "D"
    others = zip(table["probe"], table["untrained"], table["random_labels"], strict=True)
    if all(probe > one and probe > other for probe, one, other in others):
        claims += "E"
    return list(claims)


def _with_losses(table):
    """Without effects where both sides have the same loss to subtract; a set of letters."""
    table = {k: v.double() if isinstance(v, Tensor) else v for k, v in table.items()}
    head, claims = table["head"], set()
    own, random = table["mean_ablated"].mean(0), table["random"].mean(0)
    if torch.quantile(random, 0.95, interpolation="higher") < own[head]:
        claims.add("A")
    if (random.max(1).values < own.max()).double().mean() > 0.95:
        claims.add("B")
    runs = table["mean_ablated"][:, head] - table["loss"]
    above = runs - (random.mean() - table["loss"].mean())
    if above.mean() / (above.std() / above.numel() ** 0.5) > 2:
        claims.add("C")
    if not any((table[way].mean(0) > table[way].mean(0)[head]).any() for way in _WAYS):
        claims.add("D")
    if bool((table["probe"] > torch.stack([table["untrained"], table["random_labels"]])).all()):
        claims.add("E")
    return claims


_WAYS = ("mean_ablated", "zero_ablated")


def _with_numpy(table):
    import numpy as np

    t = {k: v.numpy() if isinstance(v, Tensor) else v for k, v in table.items()}
    effect = {
        k: np.moveaxis(np.moveaxis(t[k], 0, -1) - t["loss"], -1, 0) for k in (*_WAYS, "random")
    }
    head, mean = t["head"], {k: v.mean(axis=0) for k, v in effect.items()}
    n = len(t["loss"])
    runs = effect["mean_ablated"][:, head]
    reached = np.count_nonzero(mean["random"] >= mean["mean_ablated"][head])
    won = np.count_nonzero(mean["random"].max(axis=1) >= mean["mean_ablated"].max())
    yes = [
        reached / mean["random"].size < 0.05,
        won / len(mean["random"]) < 0.05,
        runs.mean() - effect["random"].mean() > 2 * np.std(runs, ddof=1) / np.sqrt(n),
        all(np.argmax(mean[way]) == head for way in _WAYS),
        np.min(t["probe"] - np.maximum(t["untrained"], t["random_labels"])) > 0,
    ]
    return ["ABCDE"[i] for i in np.flatnonzero(yes)]


_HEAD_0 = ("zero_is_none", "zero_is_none~1")
A = "as_large = (random >= own[head]).float().mean()"
B = "as_good = (winners >= best).float().mean()"
GAIN = "gain = runs.mean() - by_chance.mean()"
FIRST = "first, second = own.argmax() == head, zeroed.argmax() == head"
LEARNED = 'learned = (table["probe"] > table["untrained"]).all()'
MEANT = 'meant = (table["probe"] > table["random_labels"]).all()'
_SPREAD = "1.4826 * (random - random.median()).abs().median()"
_UNNAMED: dict[str, tuple[Edits, ...]] = {  # what is seldom handed in, and nearly right
    "A": (
        [(A, f"as_large = (own[head] <= random.median() + 1.645 * {_SPREAD}).float()")],
        [(A, "as_large = (by_chance.median(0)[0] >= own[head]).float().mean()")],
        [(A, "as_large = (random >= by_mean.median(0)[0][head]).float().mean()")],
        [('"A": as_large < 0.05', '"A": as_large < 0.05 and gain > 2 * error')],
    ),
    "B": (
        [("best = own.max()", "best = own[zeroed.argmax()]")],
        [(B, "as_good = (by_chance.median(0)[0].amax(1) >= best).float().mean()")],
        [(B, "as_good = (winners >= by_mean.median(0)[0].max()).float().mean()")],
        [(B, "as_good = (by_chance >= best).float().mean()")],
        [(B, "as_good = (by_chance.amax(2) >= best).float().mean()")],
        [
            (
                "winners = random.amax(1)",
                "winners = random.gather(1, random.abs().argmax(1, keepdim=True))",
            )
        ],
    ),
    "C": (
        [('"C": gain > 2 * error', '"C": gain > 2 * error and as_large < 0.05')],
        [('"C": gain > 2 * error', '"C": gain > 2.2 * error')],
        [('"C": gain > 2 * error', '"C": gain > 1.8 * error')],
        [('"C": gain > 2 * error', '"C": min(gain, runs.mean()) > 2 * error')],
        [(GAIN, "gain = runs.mean() - by_chance.median()")],
        [(GAIN, "gain = runs.mean() - by_chance[:, :, head].mean()")],
        [(GAIN, "gain = runs.abs().mean() - by_chance.abs().mean()")],
        [(GAIN, "gain = runs.mean().abs() - by_chance.mean()")],
        [
            (
                GAIN,
                "gain = runs.abs().mean() - by_chance.abs().mean()\n"
                "    error = runs.abs().std() / math.sqrt(len(runs))",
            )
        ],
    ),
    "D": (
        [('"D": first and second', '"D": first and second and as_large < 0.05')],
        [(FIRST, "first, second = best - own[head] < runs.std(), zeroed.argmax() == head")],
        [(FIRST, "first, second = by_mean.argmax() == head, zeroed.argmax() == head")],
        [(FIRST, "first, second = own.argmax() == head, by_zero.argmax() == head")],
        [(FIRST, "first, second = own.argmax() == head, by_zero.amax(0).argmax() == head")],
        [(FIRST, "first, second = own.argmax() == head, by_zero[0].argmax() == head")],
        [(FIRST, "first, second = (w.amax(0).argmax() == head for w in (by_mean, by_zero))")],
        [(FIRST, "first, second = own.abs().argmax() == head, zeroed.argmax() == head")],
        [(FIRST, "first, second = own.argmax() == head, zeroed.abs().argmax() == head")],
        [(FIRST, "first = second = torch.maximum(own, zeroed).argmax() == head")],
        [(FIRST, "first = second = torch.minimum(own, zeroed).argmax() == head")],
        [
            (
                FIRST,
                "first, second = (w.median(0)[0].argmax() == head for w in (by_mean, by_zero))",
            )
        ],
        [
            (
                FIRST,
                "first, second = (w.argmax(1).mode()[0] == head for w in (by_mean, by_zero))",
            )
        ],
    ),
    "E": (
        [(LEARNED, 'learned = table["probe"].min() > table["untrained"].max()')],
        [(MEANT, 'meant = table["probe"].min() > table["random_labels"].max()')],
        [(LEARNED, LEARNED.replace(".all()", ".float().mean() > 0.5"))],
        [(MEANT, MEANT.replace(".all()", ".float().mean() > 0.5"))],
        [(LEARNED, LEARNED.replace(")", " + 0.01)", 1))],
        [(MEANT, MEANT.replace(")", " + 0.01)", 1))],
        [('"E": learned and meant', '"E": learned and meant and (table["probe"] > 0.5).all()')],
    ),
}

QUESTION = Question(
    id="supported_claims",
    title="Which of these five claims?",
    signature="supported_claims(table)",
    reference=supported_claims,
    cases=_claims_cases,
    parts=(
        Part("core", "A and E: against the controls", 2),
        Part("best", "B: the best of many", 1),
        Part("spread", "C: the spread over the seeds", 1),
        Part("ways", "D: both ways to switch a head off", 1),
    ),
    minutes=25,
    difficulty=2,
    draws=3,
    section=CLAIMS,
    alternatives={
        "lists and statistics": _in_python,
        "losses and a set": _with_losses,
        "NumPy": _with_numpy,
    },
)
