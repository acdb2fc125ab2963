"""The known mistakes of `supported_claims`."""

from __future__ import annotations

from grading.content.common import kept
from grading.content.looking_inside.sections import ABLATIONS, BEST, PROBES
from grading.exercise import Mistake

from .question import FIRST, GAIN, LEARNED, MEANT, A, B

_BY_SEED = "(by_chance >= by_mean[:, head, None, None])"
_BOTH = "runs.var() + by_chance.mean((1, 2)).var()"
_ERROR = "error = runs.std() / math.sqrt(len(runs))"

_ABSOLUTE = {
    name: f'(table["{name}"] - loss[{axes}]).abs()'
    for name, axes in (
        ("mean_ablated", ":, None"),
        ("zero_ablated", ":, None"),
        ("random", ":, None, None"),
    )
}


COMBINED = (
    "a_like_b",
    "e_in_the_mean",
    "b_like_a",
    "c_no_root",
    "c_population",
    "c_without_control",
    "d_one_way",
)

MISTAKES = (
    Mistake(
        "a_like_b",
        "A: the head is compared with the winners of searches. It was named beforehand, so "
        "nobody has searched: compare it with single directions, all of them.",
        [(A, "as_large = (winners >= own[head]).float().mean()")],
        section=BEST,
    ),
    Mistake(
        "a_above_the_mean",
        "A: it isn't enough that the effect is larger than that of an average random "
        "direction. Count how many of all directions reach it; fewer than 5% must.",
        [(A, "as_large = 1.0 - (own[head] > random.mean()).float()")],
        other_forms=([(A, "as_large = (random >= own[head]).float().mean() / 10")],),
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
        [(A, "as_large = (random >= best).float().mean()")],
        section=BEST,
    ),
    Mistake(
        "a_seeds_apart",
        "A: effects of single seeds are counted. A mean effect is meant, of the head and of "
        "each direction: take the mean over the seeds first, then count.",
        [(A, "as_large = (by_chance >= own[head]).float().mean()")],
        other_forms=(
            [(A, f"as_large = {_BY_SEED}.float().mean()")],
            [(A, f"as_large = {_BY_SEED}.float().mean((1, 2)).max()")],
        ),
    ),
    Mistake(
        "a_normal",
        "A: the limit is computed from a mean and a standard deviation, as if the effects were "
        "normally distributed. They needn't be: count how many directions reach the effect.",
        [(A, "as_large = 1.0 - (own[head] > random.mean() + 1.645 * random.std()).float()")],
        other_forms=(
            [(A, "as_large = 1.0 - (own[head] > random.mean() + 2 * random.std()).float()")],
        ),
    ),
    Mistake(
        "a_few_directions",
        "A: not all directions are counted one by one, only those at the head's place, or "
        "their means over the searches. Count all directions of all searches.",
        [(A, "as_large = (random[:, head] >= own[head]).float().mean()")],
        other_forms=([(A, "as_large = (random.mean(0) >= own[head]).float().mean()")],),
    ),
    Mistake(
        "a_absolute",
        "A: the effects have lost their sign. If the model gets *better* without the head, "
        "that's a negative effect, and it doesn't count as mattering.",
        [(A, "as_large = (random.abs() >= own[head].abs()).float().mean()")],
        other_forms=(
            [
                (
                    A,
                    "runs = by_mean[:, head].abs().mean()\n"
                    "    as_large = (by_chance.abs().mean(0) >= runs).float().mean()",
                )
            ],
            [(A, "as_large = (random.abs() >= own[head]).float().mean()")],
            [(A, "as_large = (random >= own[head].abs()).float().mean()")],
        ),
    ),
    Mistake(
        "a_zero_ablation",
        "A: the effect is taken under zero ablation. Where nothing else is said, mean ablation "
        "is meant.",
        [(A, "as_large = (random >= zeroed[head]).float().mean()")],
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
            (LEARNED, LEARNED.replace("all()", "any()")),
            (MEANT, MEANT.replace("all()", "any()")),
        ],
        section=PROBES,
    ),
    Mistake(
        "e_as_good",
        "E: a probe that is exactly as accurate as a control passes. It must be *more* accurate.",
        [
            (LEARNED, LEARNED.replace(">", ">=")),
            (MEANT, MEANT.replace(">", ">=")),
        ],
        other_forms=(
            [(LEARNED, LEARNED.replace(">", ">="))],
            [(MEANT, MEANT.replace(">", ">="))],
        ),
        section=PROBES,
    ),
    Mistake(
        "e_in_the_mean",
        "E: the means over the seeds are compared. The probe must be better with *every* seed.",
        [
            (LEARNED, 'learned = table["probe"].mean() > table["untrained"].mean()'),
            (MEANT, 'meant = table["probe"].mean() > table["random_labels"].mean()'),
        ],
        other_forms=(
            [(LEARNED, 'learned = table["probe"].mean() > table["untrained"].mean()')],
            [(MEANT, 'meant = table["probe"].mean() > table["random_labels"].mean()')],
        ),
        section=PROBES,
    ),
    Mistake(
        "e_other_seeds",
        "E: accuracies of different seeds are compared, such as the smallest of the probe with "
        "the largest of a control. Compare them seed by seed.",
        [
            (LEARNED, 'learned = table["probe"].min() > table["untrained"].max()'),
            (MEANT, 'meant = table["probe"].min() > table["random_labels"].max()'),
        ],
        other_forms=(
            [
                (LEARNED, 'learned = table["probe"].min() > table["untrained"].min()'),
                (MEANT, 'meant = table["probe"].min() > table["random_labels"].min()'),
            ],
            [
                (LEARNED, 'learned = table["probe"].max() > table["untrained"].max()'),
                (MEANT, 'meant = table["probe"].max() > table["random_labels"].max()'),
            ],
        ),
        section=PROBES,
    ),
    Mistake(
        "e_most_seeds",
        "E: most seeds are enough here. The probe must be better with *every* seed.",
        [
            (LEARNED, LEARNED.replace(".all()", ".float().mean() > 0.5")),
            (MEANT, MEANT.replace(".all()", ".float().mean() > 0.5")),
        ],
        section=PROBES,
    ),
    Mistake(
        "e_like_c",
        "E: the difference is compared with its standard error, as in C. E asks for something "
        "else: a better probe with *every* seed.",
        [
            (
                LEARNED,
                'gap = table["probe"] - table["untrained"]\n'
                "    learned = gap.mean() > 2 * gap.std() / math.sqrt(len(gap))",
            ),
            (
                MEANT,
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
                LEARNED,
                'other = (table["untrained"] + table["random_labels"]) / 2\n'
                '    learned = (table["probe"] > other).all()',
            ),
            (MEANT, "meant = True"),
        ],
        section=PROBES,
    ),
    Mistake(
        "e_without_untrained",
        "E: the untrained model isn't looked at. What a probe finds there as well, the model "
        "hasn't learned.",
        [(LEARNED, "learned = True")],
        section=PROBES,
    ),
    Mistake(
        "e_without_random_labels",
        "E: the random labels aren't looked at. What a probe can do with those, it does by "
        "memorising words.",
        [(MEANT, "meant = True")],
        section=PROBES,
    ),
    Mistake(
        "e_one_control",
        "E: one of the two controls is enough here. The probe must be better than both.",
        [('"E": learned and meant', '"E": learned or meant')],
        other_forms=(
            [
                (
                    LEARNED,
                    'other = torch.minimum(table["untrained"], table["random_labels"])\n'
                    '    learned = (table["probe"] > other).all()',
                ),
                (MEANT, "meant = True"),
            ],
        ),
        section=PROBES,
    ),
    Mistake(
        "e_turned",
        "E: the claim is supported where it shouldn't be, and the other way round. The probe's "
        "accuracy must be the *larger* one.",
        [
            (LEARNED, LEARNED.replace(">", "<")),
            (MEANT, MEANT.replace(">", "<")),
        ],
        section=PROBES,
    ),
    Mistake(
        "b_like_a",
        "B: the best head is compared with single random directions. It's the winner of a "
        "search among all heads, and the winner of a search is large by chance, too: compare "
        "it with the winners, the largest direction of each search.",
        [(B, "as_good = (random >= best).float().mean()")],
        points=4,
        section=BEST,
    ),
    Mistake(
        "b_named",
        "B: the head that was named beforehand is compared with the winners. B is about the "
        "head with the largest mean effect of all.",
        [(B, "as_good = (winners >= own[head]).float().mean()")],
        points=4,
        section=BEST,
    ),
    Mistake(
        "b_like_claim_a",
        "B: this is A once more: the named head against single directions. B is about the head "
        "with the largest mean effect, against the largest direction of each search.",
        [(B, "as_good = as_large")],
        points=4,
        section=BEST,
    ),
    Mistake(
        "b_average_winner",
        "B: it isn't enough to be larger than the average winner. Fewer than 5% of the "
        "searches may have one that is as large.",
        [(B, "as_good = 1.0 - (best > winners.mean()).float()")],
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
        [(B, "as_good = 1.0 - (best > winners.mean() + 1.645 * winners.std()).float()")],
        other_forms=([(B, "as_good = 1.0 - (best > winners.mean() + 2 * winners.std()).float()")],),
        points=4,
        section=BEST,
    ),
    Mistake(
        "b_corrected",
        "B: single directions are counted, with a limit divided by the number of heads "
        "(Bonferroni). Count *searches*: one may have several directions that reach it.",
        [(B, "as_good = (random >= best).float().mean() * random.size(1)")],
        points=4,
        section=BEST,
    ),
    Mistake(
        "b_few_directions",
        "B: of each search only the direction at the best head's place is looked at, or the "
        "searches are averaged. Each search has a winner, the largest of all its directions.",
        [(B, "as_good = (random[:, own.argmax()] >= best).float().mean()")],
        other_forms=([(B, "as_good = (random.mean(0).max() >= best).float()")],),
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
        [(B, "as_good = (random.abs().amax(1) >= own.abs().max()).float().mean()")],
        other_forms=(
            [
                (
                    B,
                    "winners = by_chance.abs().mean(0).amax(1)\n"
                    "    as_good = (winners >= by_mean.abs().mean(0).max()).float().mean()",
                )
            ],
            [(B, "as_good = (random.abs().amax(1) >= best).float().mean()")],
            [("best = own.max()", "best = own[own.abs().argmax()]")],
            [(B, "as_good = (winners >= own.abs().max()).float().mean()")],
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
        [(GAIN, "gain = runs.mean() - random.amax(1).mean()")],
        points=4,
    ),
    Mistake(
        "c_without_control",
        "C: the effect is compared with 0. Removing anything at all may cost something: what "
        "the random directions cost on average is subtracted.",
        [(GAIN, "gain = runs.mean()")],
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
        other_forms=([('"C": gain > 2 * error', '"C": (runs > by_chance.mean((1, 2))).all()')],),
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
        [(FIRST, "first = second = own.argmax() == head")],
        other_forms=([(FIRST, "first = second = zeroed.argmax() == head")],),
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
        [(FIRST, "first = second = own.argmax() == zeroed.argmax()")],
        points=4,
        section=ABLATIONS,
    ),
    Mistake(
        "d_sum",
        "D: both ways are averaged. The head must have the largest mean effect in each of them.",
        [(FIRST, "first = second = (own + zeroed).argmax() == head")],
        points=4,
        section=ABLATIONS,
    ),
    Mistake(
        "d_every_seed",
        "D: the head must have the largest effect with every seed here. Its *mean* effect must "
        "be the largest.",
        [
            (
                FIRST,
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
                FIRST,
                "first, second = own.abs().argmax() == head, zeroed.abs().argmax() == head",
            )
        ],
        other_forms=(
            [
                (
                    FIRST,
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
)
