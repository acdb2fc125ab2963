"""Exercise 5: which of five claims a table of measurements and controls supports."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from grading.content.common import kept
from grading.content.drawing import draw_integer, one_of
from grading.content.looking_inside import harnesses
from grading.content.looking_inside.sections import ABLATIONS, BEST, CLAIMS, PROBES
from grading.content.looking_inside.shared import mutation_of
from grading.exercise import Case, Exercise, Mistake, Part
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
    if name[:1] in _UNNAMED:
        return EXERCISE.mutant(_UNNAMED[name[0]][int(name[1:])])
    return EXERCISE.mutant(mutation_of(EXERCISE, name)) if name else supported_claims


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
_A = "as_large = (random >= own[head]).float().mean()"
_B = "as_good = (winners >= best).float().mean()"
_BY_SEED = "(by_chance >= by_mean[:, head, None, None])"
_BOTH = "runs.var() + by_chance.mean((1, 2)).var()"
_ERROR = "error = runs.std() / math.sqrt(len(runs))"
_GAIN = "gain = runs.mean() - by_chance.mean()"
_FIRST = "first, second = own.argmax() == head, zeroed.argmax() == head"
_LEARNED = 'learned = (table["probe"] > table["untrained"]).all()'
_MEANT = 'meant = (table["probe"] > table["random_labels"]).all()'
_SPREAD = "1.4826 * (random - random.median()).abs().median()"

_ABSOLUTE = {
    name: f'(table["{name}"] - loss[{axes}]).abs()'
    for name, axes in (
        ("mean_ablated", ":, None"),
        ("zero_ablated", ":, None"),
        ("random", ":, None, None"),
    )
}
_UNNAMED: dict[str, tuple[Edits, ...]] = {  # what is seldom handed in, and nearly right
    "A": (
        [(_A, f"as_large = (own[head] <= random.median() + 1.645 * {_SPREAD}).float()")],
        [(_A, "as_large = (by_chance.median(0)[0] >= own[head]).float().mean()")],
        [(_A, "as_large = (random >= by_mean.median(0)[0][head]).float().mean()")],
        [('"A": as_large < 0.05', '"A": as_large < 0.05 and gain > 2 * error')],
    ),
    "B": (
        [("best = own.max()", "best = own[zeroed.argmax()]")],
        [(_B, "as_good = (by_chance.median(0)[0].amax(1) >= best).float().mean()")],
        [(_B, "as_good = (winners >= by_mean.median(0)[0].max()).float().mean()")],
        [(_B, "as_good = (by_chance >= best).float().mean()")],
        [(_B, "as_good = (by_chance.amax(2) >= best).float().mean()")],
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
        [(_GAIN, "gain = runs.mean() - by_chance.median()")],
        [(_GAIN, "gain = runs.mean() - by_chance[:, :, head].mean()")],
        [(_GAIN, "gain = runs.abs().mean() - by_chance.abs().mean()")],
        [(_GAIN, "gain = runs.mean().abs() - by_chance.mean()")],
        [
            (
                _GAIN,
                "gain = runs.abs().mean() - by_chance.abs().mean()\n"
                "    error = runs.abs().std() / math.sqrt(len(runs))",
            )
        ],
    ),
    "D": (
        [('"D": first and second', '"D": first and second and as_large < 0.05')],
        [(_FIRST, "first, second = best - own[head] < runs.std(), zeroed.argmax() == head")],
        [(_FIRST, "first, second = by_mean.argmax() == head, zeroed.argmax() == head")],
        [(_FIRST, "first, second = own.argmax() == head, by_zero.argmax() == head")],
        [(_FIRST, "first, second = own.argmax() == head, by_zero.amax(0).argmax() == head")],
        [(_FIRST, "first, second = own.argmax() == head, by_zero[0].argmax() == head")],
        [(_FIRST, "first, second = (w.amax(0).argmax() == head for w in (by_mean, by_zero))")],
        [(_FIRST, "first, second = own.abs().argmax() == head, zeroed.argmax() == head")],
        [(_FIRST, "first, second = own.argmax() == head, zeroed.abs().argmax() == head")],
        [(_FIRST, "first = second = torch.maximum(own, zeroed).argmax() == head")],
        [(_FIRST, "first = second = torch.minimum(own, zeroed).argmax() == head")],
        [
            (
                _FIRST,
                "first, second = (w.median(0)[0].argmax() == head for w in (by_mean, by_zero))",
            )
        ],
        [
            (
                _FIRST,
                "first, second = (w.argmax(1).mode()[0] == head for w in (by_mean, by_zero))",
            )
        ],
    ),
    "E": (
        [(_LEARNED, 'learned = table["probe"].min() > table["untrained"].max()')],
        [(_MEANT, 'meant = table["probe"].min() > table["random_labels"].max()')],
        [(_LEARNED, _LEARNED.replace(".all()", ".float().mean() > 0.5"))],
        [(_MEANT, _MEANT.replace(".all()", ".float().mean() > 0.5"))],
        [(_LEARNED, _LEARNED.replace(")", " + 0.01)", 1))],
        [(_MEANT, _MEANT.replace(")", " + 0.01)", 1))],
        [('"E": learned and meant', '"E": learned and meant and (table["probe"] > 0.5).all()')],
    ),
}

EXERCISE = Exercise(
    id="supported_claims",
    title="Which of these five claims?",
    signature="supported_claims(table)",
    reference=supported_claims,
    combined=(
        "a_like_b",
        "e_in_the_mean",
        "b_like_a",
        "c_no_root",
        "c_population",
        "c_without_control",
        "d_one_way",
    ),
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
    mistakes=(
        Mistake(
            "a_like_b",
            "A: the head is compared with the winners of searches. It was named beforehand, so "
            "nobody has searched: compare it with single directions, all of them.",
            [(_A, "as_large = (winners >= own[head]).float().mean()")],
            section=BEST,
        ),
        Mistake(
            "a_above_the_mean",
            "A: it isn't enough that the effect is larger than that of an average random "
            "direction. Count how many of all directions reach it; fewer than 5% must.",
            [(_A, "as_large = 1.0 - (own[head] > random.mean()).float()")],
            other_forms=([(_A, "as_large = (random >= own[head]).float().mean() / 10")],),
        ),
        Mistake(
            "a_above_all",
            "A: the effect needn't be larger than that of every random direction. Fewer than 5% of "
            "them may reach it.",
            [('"A": as_large < 0.05', '"A": as_large == 0')],
        ),
        Mistake(
            "a_other_limit",
            "A: the limit isn't 5%.",
            [('"A": as_large < 0.05', '"A": as_large < 0.01')],
            other_forms=(
                [('"A": as_large < 0.05', '"A": as_large < 0.025')],
                [('"A": as_large < 0.05', '"A": as_large < 0.1')],
            ),
        ),
        Mistake(
            "a_best_head",
            "A: the head with the largest effect is looked at. A is about `head`, which was named "
            "before anything was measured.",
            [(_A, "as_large = (random >= best).float().mean()")],
            section=BEST,
        ),
        Mistake(
            "a_seeds_apart",
            "A: effects of single seeds are counted. A mean effect is meant, of the head and of "
            "each direction: take the mean over the seeds first, then count.",
            [(_A, "as_large = (by_chance >= own[head]).float().mean()")],
            other_forms=(
                [(_A, f"as_large = {_BY_SEED}.float().mean()")],
                [(_A, f"as_large = {_BY_SEED}.float().mean((1, 2)).max()")],
            ),
        ),
        Mistake(
            "a_normal",
            "A: the limit is computed from a mean and a standard deviation, as if the effects were "
            "normally distributed. They needn't be: count how many directions reach the effect.",
            [(_A, "as_large = 1.0 - (own[head] > random.mean() + 1.645 * random.std()).float()")],
            other_forms=(
                [(_A, "as_large = 1.0 - (own[head] > random.mean() + 2 * random.std()).float()")],
            ),
        ),
        Mistake(
            "a_few_directions",
            "A: not all directions are counted one by one, only those at the head's place, or "
            "their means over the searches. Count all directions of all searches.",
            [(_A, "as_large = (random[:, head] >= own[head]).float().mean()")],
            other_forms=([(_A, "as_large = (random.mean(0) >= own[head]).float().mean()")],),
        ),
        Mistake(
            "a_absolute",
            "A: the effects have lost their sign. If the model gets *better* without the head, "
            "that's a negative effect, and it doesn't count as mattering.",
            [(_A, "as_large = (random.abs() >= own[head].abs()).float().mean()")],
            other_forms=(
                [
                    (
                        _A,
                        "runs = by_mean[:, head].abs().mean()\n"
                        "    as_large = (by_chance.abs().mean(0) >= runs).float().mean()",
                    )
                ],
                [(_A, "as_large = (random.abs() >= own[head]).float().mean()")],
                [(_A, "as_large = (random >= own[head].abs()).float().mean()")],
            ),
        ),
        Mistake(
            "a_zero_ablation",
            "A: the effect is taken under zero ablation. Where nothing else is said, mean ablation "
            "is meant.",
            [(_A, "as_large = (random >= zeroed[head]).float().mean()")],
            section=ABLATIONS,
        ),
        Mistake(
            "a_turned",
            "A: the claim is supported where it shouldn't be, and the other way round: the *share "
            "of directions that reach the head's effect* must be below 5%.",
            [('"A": as_large < 0.05', '"A": as_large > 0.05')],
            other_forms=([('"A": as_large < 0.05', '"A": as_large > 0.95')],),
        ),
        Mistake(
            "e_in_any_seed",
            "E: one seed is enough here. The probe must be better with *every* seed.",
            [
                (_LEARNED, _LEARNED.replace("all()", "any()")),
                (_MEANT, _MEANT.replace("all()", "any()")),
            ],
            section=PROBES,
        ),
        Mistake(
            "e_as_good",
            "E: a probe that is exactly as accurate as a control passes. It must be *more* "
            "accurate.",
            [
                (_LEARNED, _LEARNED.replace(">", ">=")),
                (_MEANT, _MEANT.replace(">", ">=")),
            ],
            other_forms=(
                [(_LEARNED, _LEARNED.replace(">", ">="))],
                [(_MEANT, _MEANT.replace(">", ">="))],
            ),
            section=PROBES,
        ),
        Mistake(
            "e_in_the_mean",
            "E: the means over the seeds are compared. The probe must be better with *every* seed.",
            [
                (_LEARNED, 'learned = table["probe"].mean() > table["untrained"].mean()'),
                (_MEANT, 'meant = table["probe"].mean() > table["random_labels"].mean()'),
            ],
            other_forms=(
                [(_LEARNED, 'learned = table["probe"].mean() > table["untrained"].mean()')],
                [(_MEANT, 'meant = table["probe"].mean() > table["random_labels"].mean()')],
            ),
            section=PROBES,
        ),
        Mistake(
            "e_other_seeds",
            "E: accuracies of different seeds are compared, such as the smallest of the probe with "
            "the largest of a control. Compare them seed by seed.",
            [
                (_LEARNED, 'learned = table["probe"].min() > table["untrained"].max()'),
                (_MEANT, 'meant = table["probe"].min() > table["random_labels"].max()'),
            ],
            other_forms=(
                [
                    (_LEARNED, 'learned = table["probe"].min() > table["untrained"].min()'),
                    (_MEANT, 'meant = table["probe"].min() > table["random_labels"].min()'),
                ],
                [
                    (_LEARNED, 'learned = table["probe"].max() > table["untrained"].max()'),
                    (_MEANT, 'meant = table["probe"].max() > table["random_labels"].max()'),
                ],
            ),
            section=PROBES,
        ),
        Mistake(
            "e_most_seeds",
            "E: most seeds are enough here. The probe must be better with *every* seed.",
            [
                (_LEARNED, _LEARNED.replace(".all()", ".float().mean() > 0.5")),
                (_MEANT, _MEANT.replace(".all()", ".float().mean() > 0.5")),
            ],
            section=PROBES,
        ),
        Mistake(
            "e_like_c",
            "E: the difference is compared with its standard error, as in C. E asks for something "
            "else: a better probe with *every* seed.",
            [
                (
                    _LEARNED,
                    'gap = table["probe"] - table["untrained"]\n'
                    "    learned = gap.mean() > 2 * gap.std() / math.sqrt(len(gap))",
                ),
                (
                    _MEANT,
                    'gap = table["probe"] - table["random_labels"]\n'
                    "    meant = gap.mean() > 2 * gap.std() / math.sqrt(len(gap))",
                ),
            ],
            section=PROBES,
        ),
        Mistake(
            "e_average_control",
            "E: the two controls are averaged. The probe must be better than each of them.",
            [
                (
                    _LEARNED,
                    'other = (table["untrained"] + table["random_labels"]) / 2\n'
                    '    learned = (table["probe"] > other).all()',
                ),
                (_MEANT, "meant = True"),
            ],
            section=PROBES,
        ),
        Mistake(
            "e_without_untrained",
            "E: the untrained model isn't looked at. What a probe finds there as well, the model "
            "hasn't learned.",
            [(_LEARNED, "learned = True")],
            section=PROBES,
        ),
        Mistake(
            "e_without_random_labels",
            "E: the random labels aren't looked at. What a probe can do with those, it does by "
            "memorising words.",
            [(_MEANT, "meant = True")],
            section=PROBES,
        ),
        Mistake(
            "e_one_control",
            "E: one of the two controls is enough here. The probe must be better than both.",
            [('"E": learned and meant', '"E": learned or meant')],
            other_forms=(
                [
                    (
                        _LEARNED,
                        'other = torch.minimum(table["untrained"], table["random_labels"])\n'
                        '    learned = (table["probe"] > other).all()',
                    ),
                    (_MEANT, "meant = True"),
                ],
            ),
            section=PROBES,
        ),
        Mistake(
            "e_turned",
            "E: the claim is supported where it shouldn't be, and the other way round. The probe's "
            "accuracy must be the *larger* one.",
            [
                (_LEARNED, _LEARNED.replace(">", "<")),
                (_MEANT, _MEANT.replace(">", "<")),
            ],
            section=PROBES,
        ),
        Mistake(
            "b_like_a",
            "B: the best head is compared with single random directions. It's the winner of a "
            "search among all heads, and the winner of a search is large by chance, too: compare "
            "it with the winners, the largest direction of each search.",
            [(_B, "as_good = (random >= best).float().mean()")],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_named",
            "B: the head that was named beforehand is compared with the winners. B is about the "
            "head with the largest mean effect of all.",
            [(_B, "as_good = (winners >= own[head]).float().mean()")],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_like_claim_a",
            "B: this is A once more: the named head against single directions. B is about the head "
            "with the largest mean effect, against the largest direction of each search.",
            [(_B, "as_good = as_large")],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_average_winner",
            "B: it isn't enough to be larger than the average winner. Fewer than 5% of the "
            "searches may have one that is as large.",
            [(_B, "as_good = 1.0 - (best > winners.mean()).float()")],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_above_all",
            "B: the best head needn't be larger than every random direction. Each search has one "
            "winner, the largest over the *last* axis, and fewer than 5% of the searches may have "
            "one that is as large.",
            [('"B": as_good < 0.05', '"B": as_good == 0')],
            equivalent=([("winners = random.amax(1)", "winners = random.amax(0)")],),
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_other_limit",
            "B: the limit isn't 5%.",
            [('"B": as_good < 0.05', '"B": as_good < 0.1')],
            other_forms=([('"B": as_good < 0.05', '"B": as_good < 0.025')],),
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_wrong_end",
            "B: the limit is at the wrong end of the winners: here a few have to be smaller than "
            "the effect. All but fewer than 5% have to be.",
            [('"B": as_good < 0.05', '"B": as_good < 0.95')],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_winners_of_seeds",
            "B: the largest effect is looked for in each seed by itself, and then averaged. "
            "Another direction wins in each seed; take the mean over the seeds first, then the "
            "largest.",
            [("winners = random.amax(1)", "winners = by_chance.amax(2).mean(0)")],
            other_forms=(
                [
                    ("winners = random.amax(1)", "winners = by_chance.amax(2).mean(0)"),
                    ("best = own.max()", "best = by_mean.amax(1).mean()"),
                ],
                [
                    ("winners = random.amax(1)", "winners = by_chance.amax(2)"),
                    ("best = own.max()", "best = by_mean.amax(1)[:, None]"),
                ],
            ),
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_normal",
            "B: the limit is computed from a mean and a standard deviation, as if the winners were "
            "normally distributed. They aren't: count searches whose winner reaches the effect.",
            [(_B, "as_good = 1.0 - (best > winners.mean() + 1.645 * winners.std()).float()")],
            other_forms=(
                [(_B, "as_good = 1.0 - (best > winners.mean() + 2 * winners.std()).float()")],
            ),
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_corrected",
            "B: single directions are counted, with a limit divided by the number of heads "
            "(Bonferroni). Count *searches*: one may have several directions that reach it.",
            [(_B, "as_good = (random >= best).float().mean() * random.size(1)")],
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_few_directions",
            "B: of each search only the direction at the best head's place is looked at, or the "
            "searches are averaged. Each search has a winner, the largest of all its directions.",
            [(_B, "as_good = (random[:, own.argmax()] >= best).float().mean()")],
            other_forms=([(_B, "as_good = (random.mean(0).max() >= best).float()")],),
            points=4,
            section=BEST,
        ),
        Mistake(
            "b_zero_ablation",
            "B: the effects are those of zero ablation. Where nothing else is said, mean ablation "
            "is meant.",
            [("best = own.max()", "best = zeroed.max()")],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "b_absolute",
            "B: the effects have lost their sign. A head without which the model gets *better* "
            "isn't one that matters.",
            [(_B, "as_good = (random.abs().amax(1) >= own.abs().max()).float().mean()")],
            other_forms=(
                [
                    (
                        _B,
                        "winners = by_chance.abs().mean(0).amax(1)\n"
                        "    as_good = (winners >= by_mean.abs().mean(0).max()).float().mean()",
                    )
                ],
                [(_B, "as_good = (random.abs().amax(1) >= best).float().mean()")],
                [("best = own.max()", "best = own[own.abs().argmax()]")],
                [(_B, "as_good = (winners >= own.abs().max()).float().mean()")],
            ),
            points=4,
            section=BEST,
        ),
        Mistake(
            "c_population",
            "C: the standard deviation is divided by n under the root. Over a handful of seeds it "
            "must be n − 1.",
            [(_ERROR, "error = runs.std(correction=0) / math.sqrt(len(runs))")],
            points=4,
        ),
        Mistake(
            "c_no_root",
            "C: the standard deviation isn't divided by √n. It says how far single seeds scatter; "
            "the standard error says how far their mean does.",
            [(_ERROR, "error = runs.std()")],
            points=4,
        ),
        Mistake(
            "c_by_n",
            "C: the standard deviation is divided by n. For the standard error it's divided by √n.",
            [(_ERROR, "error = runs.std() / len(runs)")],
            points=4,
        ),
        Mistake(
            "c_one_error",
            "C: one standard error is enough here. It takes two.",
            [('"C": gain > 2 * error', '"C": gain > error')],
            points=4,
        ),
        Mistake(
            "c_other_limit",
            "C: more than two standard errors are asked for here. Two are enough.",
            [('"C": gain > 2 * error', '"C": gain > 3 * error')],
            other_forms=([('"C": gain > 2 * error', '"C": gain > 2.571 * error')],),
            points=4,
        ),
        Mistake(
            "c_best_head",
            "C: the head with the largest effect is looked at. C is about `head`.",
            [("runs = by_mean[:, head]", "runs = by_mean[:, own.argmax()]")],
            points=4,
        ),
        Mistake(
            "c_zero_ablation",
            "C: the effects are those of zero ablation. Where nothing else is said, mean ablation "
            "is meant.",
            [("runs = by_mean[:, head]", "runs = by_zero[:, head]")],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "c_winners",
            "C: the effect is compared with the largest random effects. Subtract the mean of *all* "
            "random effects.",
            [(_GAIN, "gain = runs.mean() - random.amax(1).mean()")],
            points=4,
        ),
        Mistake(
            "c_without_control",
            "C: the effect is compared with 0. Removing anything at all may cost something: what "
            "the random directions cost on average is subtracted.",
            [(_GAIN, "gain = runs.mean()")],
            points=4,
        ),
        Mistake(
            "c_of_losses",
            "C: the spread is that of losses. Seeds differ in their loss much more than in the "
            "effect of a head: subtract the whole model's loss *with the same seed* first.",
            [(_ERROR, 'error = table["mean_ablated"][:, head].std() / math.sqrt(len(runs))')],
            points=4,
        ),
        Mistake(
            "c_every_seed",
            "C: the effect must be above the control's with every seed here. Its mean must be, by "
            "more than two standard errors.",
            [('"C": gain > 2 * error', '"C": (runs > by_chance.mean()).all()')],
            other_forms=(
                [('"C": gain > 2 * error', '"C": (runs > by_chance.mean((1, 2))).all()')],
            ),
            points=4,
        ),
        Mistake(
            "c_any_direction",
            "C: the standard error isn't that of the head's effects over the seeds. One number for "
            "each seed, that of `head`: their standard deviation, divided by √n.",
            [(_ERROR, "error = by_mean.std() / math.sqrt(len(runs))")],
            other_forms=(
                [(_ERROR, "error = random.std() / math.sqrt(len(runs))")],
                [(_ERROR, "error = random.std()")],
                [(_ERROR, "error = by_chance.std()")],
                [(_ERROR, "error = (runs - by_chance.mean((1, 2))).std() / math.sqrt(len(runs))")],
                [(_ERROR, f"error = ({_BOTH}).sqrt() / math.sqrt(len(runs))")],
            ),
            points=4,
        ),
        Mistake(
            "c_below_too",
            "C: a head far *below* the control counts as well. It must be above it.",
            [('"C": gain > 2 * error', '"C": abs(gain) > 2 * error')],
            points=4,
        ),
        Mistake(
            "d_one_way",
            "D: only one way to switch heads off is looked at. The head must have the largest mean "
            "effect under mean ablation *and* under zero ablation.",
            [(_FIRST, "first = second = own.argmax() == head")],
            other_forms=([(_FIRST, "first = second = zeroed.argmax() == head")],),
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "d_either",
            "D: one of the two ways is enough here. It must hold in both.",
            [('"D": first and second', '"D": first or second')],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "d_agreement",
            "D: it's only asked whether both ways agree about the head with the largest effect. "
            "That head must be `head`.",
            [(_FIRST, "first = second = own.argmax() == zeroed.argmax()")],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "d_sum",
            "D: both ways are averaged. The head must have the largest mean effect in each of "
            "them.",
            [(_FIRST, "first = second = (own + zeroed).argmax() == head")],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "d_every_seed",
            "D: the head must have the largest effect with every seed here. Its *mean* effect must "
            "be the largest.",
            [
                (
                    _FIRST,
                    "first, second = (way.argmax(1) == head for way in (by_mean, by_zero))\n"
                    "    first, second = first.all(), second.all()",
                )
            ],
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "d_absolute",
            "D: the effects have lost their sign. A head without which the model gets *better* "
            "doesn't matter most.",
            [
                (
                    _FIRST,
                    "first, second = own.abs().argmax() == head, zeroed.abs().argmax() == head",
                )
            ],
            other_forms=(
                [
                    (
                        _FIRST,
                        "first, second = (\n"
                        "        way.abs().mean(0).argmax() == head for way in (by_mean, by_zero)\n"
                        "    )",
                    )
                ],
            ),
            points=4,
            section=ABLATIONS,
        ),
        Mistake(
            "absolute",
            "All effects have lost their sign (`abs`). If the model gets *better* without a head, "
            "that's a negative effect: it is small, not large.",
            [
                ('table["mean_ablated"] - loss[:, None]', _ABSOLUTE["mean_ablated"]),
                ('table["zero_ablated"] - loss[:, None]', _ABSOLUTE["zero_ablated"]),
                ('table["random"] - loss[:, None, None]', _ABSOLUTE["random"]),
            ],
        ),
        Mistake(
            "zero_is_none",
            "Head 0 is taken for no head at all, as `head or …` and `if head` do. It is a head "
            "like any other.",
            [
                (
                    "    best = own.max()",
                    "    head = head or int(own.argmax())\n    best = own.max()",
                )
            ],
            other_forms=(
                [
                    ('"A": as_large', '"A": head and as_large'),
                    ('"C": gain', '"C": head and gain'),
                    ('"D": first', '"D": head and first'),
                ],
            ),
        ),
        Mistake(
            "unsupported",
            "These are the claims that are *not* supported.",
            [("items() if yes]", "items() if not yes]")],
        ),
        Mistake(
            "all_claims",
            "All claims come back, whatever the table says.",
            [("items() if yes]", "items()]")],
        ),
        Mistake(
            "a_dictionary",
            'What comes back isn\'t a list of letters, such as `["A", "D"]`, of the claims that '
            "are supported.",
            [
                (
                    "return [letter for letter, yes in supported.items() if yes]",
                    "return [bool(yes) for yes in supported.values()]",
                )
            ],
            other_forms=(
                [
                    (
                        "return [letter for letter, yes in supported.items() if yes]",
                        "return supported",
                    )
                ],
                [("return [letter for", "return [letter.lower() for")],
            ),
        ),
        kept(
            [
                ("(table):", "(table, kept={}):"),
                (
                    "return [letter for letter, yes in supported.items() if yes]",
                    "found = [letter for letter, yes in supported.items() if yes]\n"
                    '    return kept.setdefault(table["random"].shape, found)',
                ),
            ],
        ),
    ),
)
