"""The known mistakes of `beam_search`."""

from __future__ import annotations

from grading.content.common import kept
from grading.exercise import Mistake
from grading.exercise.edits import Edit


def _set_aside(*lines: str, enough: bool = False) -> list[Edit]:
    """Texts that have ended leave the beams; ``enough`` of them end the search.

    ``lines`` say which of the candidates go to ``finished`` and which stay in ``beams``.
    """
    edits = [
        ("beams = [([], 0.0)]", "beams, finished = [([], 0.0)], []"),
        ("        beams = candidates[:num_beams]", "\n".join(f"        {line}" for line in lines)),
        ("max(beams,", "max(finished + beams,"),
    ]
    stop = ("all(ended(tokens) for tokens, _ in beams)", "len(finished) >= num_beams or not beams")
    return [*edits, stop] if enough else edits


_RUNNING = "beams = [beam for beam in candidates if not ended(beam[0])][:num_beams]"
_NOT_FILLED_UP = (
    "kept = candidates[:num_beams]",
    "finished += [beam for beam in kept if ended(beam[0])]",
    "beams = [beam for beam in kept if not ended(beam[0])]",
)
_FILLED_UP = ("finished += [beam for beam in candidates[:num_beams] if ended(beam[0])]", _RUNNING)
_FROM_TWICE_AS_MANY = (
    "finished += [beam for beam in candidates[: 2 * num_beams] if ended(beam[0])]",
    _RUNNING,
)
_UNTIL_FULL = (
    _RUNNING,
    "full = len(beams) == num_beams",
    "kept = candidates[: candidates.index(beams[-1]) if full else num_beams]",
    "finished += [beam for beam in kept if ended(beam[0])]",
)
_ALL_THAT_END = ("finished += [beam for beam in candidates if ended(beam[0])]", _RUNNING)
_KEPT_FOR_GOOD = ("kept = candidates[: num_beams - len(finished)]", *_NOT_FILLED_UP[1:])


COMBINED = (
    "on_its_own",
    "eos_ignored",
    "first_end",
    "ended_lost",
    "eos_cut",
    "penalty_unused",
    "penalty_multiplied",
    "penalty_on_the_way",
    "sum_returned",
)

MISTAKES = (
    kept(
        [
            ("length_penalty=0.0):", "length_penalty=0.0, kept={}):"),
            (
                "enumerate(next_log_probs(tokens).tolist())",
                "enumerate(\n"
                "                    kept.setdefault("
                "tuple(tokens), next_log_probs(tokens).tolist())\n"
                "                )",
            ),
        ],
    ),
    Mistake(
        "greedy",
        "This is the greedy text, whatever `num_beams` says: either one beam is kept, or the "
        "search begins with copies of the empty text, which stay equal. Begin with one.",
        [("candidates[:num_beams]", "candidates[:1]")],
        equivalent=([("beams = [([], 0.0)]", "beams = [([], 0.0)] * num_beams")],),
    ),
    Mistake(
        "on_its_own",
        "After the first step each beam keeps its own best continuation. All continuations of "
        "all beams compete, and the best `num_beams` of all of them stay.",
        [
            (
                "candidates += longer",
                "candidates += [max(longer, key=lambda beam: beam[1])] if tokens else longer",
            )
        ],
    ),
    Mistake(
        "exhaustive",
        "Nothing is thrown away, so all texts are compared. Only the best `num_beams` stay "
        "after each step.",
        [("candidates[:num_beams]", "candidates")],
    ),
    Mistake(
        "never_cut",
        "The best continuations of each beam all stay, so there are more beams in each step. "
        "Of all candidates together only `num_beams` are kept.",
        [
            (
                "candidates += longer",
                "candidates += sorted(longer, key=lambda beam: -beam[1])[:num_beams]",
            ),
            ("candidates[:num_beams]", "candidates"),
        ],
    ),
    Mistake(
        "last_only",
        "A text is judged by its last token alone. Its score is the *sum* of all its "
        "log-probabilities.",
        [("score + more", "more")],
    ),
    Mistake(
        "one_beam_more",
        "One beam too many is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
        [("candidates[:num_beams]", "candidates[: num_beams + 1]")],
    ),
    Mistake(
        "one_beam_less",
        "One beam too few is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
        [("candidates[:num_beams]", "candidates[: num_beams - 1]")],
    ),
    Mistake(
        "log_multiplied",
        "Log-probabilities are multiplied. The logarithm of a product is a *sum*: it begins "
        "with 0, and they are added.",
        [("([], 0.0)", "([], 1.0)"), ("score + more", "score * more")],
    ),
    Mistake(
        "ascending",
        "The *least* likely candidates are kept: the order is ascending. The largest sums stay.",
        [(", reverse=True", "")],
    ),
    Mistake(
        "probabilities_added",
        "Probabilities are added. What adds up are their logarithms, as `next_log_probs` gives "
        "them, for the probability of a text is a product.",
        [("next_log_probs(tokens)", "next_log_probs(tokens).exp()")],
    ),
    Mistake(
        "short_memory",
        "The model is asked with the end of the text alone, its last token or a few. It takes "
        "the whole text so far.",
        [("next_log_probs(tokens)", "next_log_probs(tokens[-1:])")],
        other_forms=(
            [("next_log_probs(tokens)", "next_log_probs(tokens[-2:])")],
            [("next_log_probs(tokens)", "next_log_probs(tokens[-3:])")],
        ),
    ),
    Mistake(
        "same_list",
        "Candidates share one list: `append` or `+=` changes the text that all of them hold. "
        "`[*tokens, token]` is a new list.",
        [("[*tokens, token]", "tokens.append(token) or tokens")],
    ),
    Mistake(
        "merged",
        "Of candidates with the same last tokens only the best is kept. They are different "
        "texts: each is a candidate of its own.",
        [
            (
                "        beams = candidates[:num_beams]",
                "        kinds = [tokens[-2:] for tokens, _ in candidates]\n"
                "        beams = [\n"
                "            beam for n, beam in enumerate(candidates) "
                "if kinds[n] not in kinds[:n]\n"
                "        ][:num_beams]",
            )
        ],
    ),
    Mistake(
        "topk_fails",
        "`topk` with `num_beams` fails if there are fewer tokens than beams; take the smaller "
        "of the two.",
        [
            (
                "        beams = candidates[:num_beams]",
                "        scores = torch.tensor([score for _, score in candidates])\n"
                "        beams = [candidates[n] for n in scores.topk(num_beams).indices]",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "always_mean",
        "The sum is always divided by the length, whatever `length_penalty` is. Divide by the "
        "length to the power of it: with 0 the plain sum decides.",
        [(" ** length_penalty", "")],
    ),
    Mistake(
        "worst",
        "Of the beams at the end it is the worst that is returned.",
        [("best = max(", "best = min(")],
        other_forms=(
            [("best = max(beams, key=lambda beam: by_length(*beam))", "best = beams[-1]")],
        ),
    ),
    Mistake(
        "best_of_zero",
        "A best score of 0, that of a text whose probability is 1, is taken for none, as `not "
        "best_score` does, and the next beam for better. Ask whether it is None.",
        [
            (
                "    best = max(beams, key=lambda beam: by_length(*beam))\n",
                "    best = None\n"
                "    for beam in beams:\n"
                "        if not (best and by_length(*best)) or "
                "by_length(*beam) > by_length(*best):\n"
                "            best = beam\n",
            )
        ],
    ),
    Mistake(
        "one_less",
        "The texts are one token too short: `max_tokens` tokens are allowed.",
        [("range(max_tokens)", "range(max_tokens - 1)")],
    ),
    Mistake(
        "one_step_more",
        "The texts are one token too long: at most `max_tokens` tokens are allowed.",
        [("range(max_tokens)", "range(max_tokens + 1)")],
    ),
    Mistake(
        "eos_ignored",
        "A text goes on after `eos_token`. Once it has ended it is kept as it is, with its score.",
        [("tokens[-1:] == [eos_token]", "False")],
        points=2,
    ),
    Mistake(
        "ended_at_once",
        "A text whose first token is `eos_token` goes on. It has ended, too, with a length of 1.",
        [("tokens[-1:] == [eos_token]", "len(tokens) > 1 and tokens[-1:] == [eos_token]")],
        points=2,
    ),
    Mistake(
        "first_end",
        "The search stops as soon as one text has ended. Others may still overtake it: go on "
        "until all beams have ended or `max_tokens` is reached.",
        [("if all(", "if any(")],
        points=2,
    ),
    Mistake(
        "ended_taken",
        "The search stops as soon as one text has ended, and returns it. Others may still be "
        "better: go on until all beams have ended or `max_tokens` is reached.",
        [
            ("if all(", "if any("),
            (
                "            break",
                "            beams = [beam for beam in beams if ended(beam[0])]\n            break",
            ),
        ],
        points=2,
    ),
    Mistake(
        "ended_first",
        "At the end a text that has ended is preferred to all that have not. Of the beams that "
        "are left the best is returned, ended or not.",
        [
            (
                "    best =",
                "    beams = [beam for beam in beams if ended(beam[0])] or beams\n    best =",
            )
        ],
        points=2,
    ),
    Mistake(
        "eos_repeated",
        "A text that has ended gets `eos_token` once more in each step. It stays as it is, and "
        "its length does not grow.",
        [("append((tokens, score))", "append(([*tokens, eos_token], score))")],
        other_forms=(
            [
                (
                    "candidates.append((tokens, score))",
                    "score += next_log_probs(tokens)[eos_token].item()\n"
                    "                candidates.append(([*tokens, eos_token], score))",
                )
            ],
        ),
        points=2,
    ),
    Mistake(
        "zero_is_none",
        "Token 0 does not end a text, because in Python 0 counts as False: ask whether "
        "`eos_token is not None`.",
        [("return tokens[-1:]", "return eos_token and tokens[-1:]")],
        points=3,
    ),
    Mistake(
        "ended_lost",
        "A text that has ended is lost in the next step. It stays among the candidates, as it is.",
        [("                candidates.append((tokens, score))\n", "")],
        points=2,
    ),
    Mistake(
        "own_places",
        "Texts that have ended do not take a place among the beams, so more texts are followed "
        "than asked for. (Libraries do it like this.) Here ended and running texts compete for "
        "the same `num_beams` places.",
        _set_aside(*_FROM_TWICE_AS_MANY),
        other_forms=tuple(
            _set_aside(*lines, enough=enough)
            for lines in (_NOT_FILLED_UP, _FILLED_UP, _UNTIL_FULL, _ALL_THAT_END)
            for enough in (False, True)
        ),
        points=2,
    ),
    Mistake(
        "kept_for_good",
        "A text that has ended keeps its place for good. It competes in each step like the "
        "others, and loses its place if `num_beams` candidates are better.",
        _set_aside(*_KEPT_FOR_GOOD),
        points=2,
    ),
    Mistake(
        "eos_cut",
        "`eos_token` is missing at the end of the text.",
        [("return best[0]", "return best[0][:-1] if ended(best[0]) else best[0]")],
        points=2,
    ),
    Mistake(
        "penalty_unused",
        "`length_penalty` is not used.",
        [
            ("key=lambda beam: by_length(*beam)", "key=lambda beam: beam[1]"),
            ("by_length(*best)", "best[1]"),
        ],
        points=3,
    ),
    Mistake(
        "penalty_multiplied",
        "The sum is multiplied by the power of the length; divide by it.",
        [("score / len", "score * len")],
        points=3,
    ),
    Mistake(
        "power_of_the_quotient",
        "The sum is divided by the length, and the power is taken of the *quotient*: with 0 "
        "that is 1 for every text. It belongs to the length alone, which `**` does by itself.",
        [("score / len(tokens) ** length_penalty", "(score / len(tokens)) ** length_penalty")],
        any_error=True,
    ),
    Mistake(
        "max_tokens_as_length",
        "The length that divides is the same for all texts, `max_tokens`. Each text has its "
        "own, `len(tokens)`.",
        [("len(tokens)", "max_tokens")],
        points=3,
    ),
    Mistake(
        "length_plus_one",
        "The length is one too large. It counts the tokens of the text, `eos_token` included, "
        "and nothing else.",
        [("len(tokens)", "(len(tokens) + 1)")],
        points=3,
    ),
    Mistake(
        "length_less_one",
        "The length is one too small. It counts all tokens of the text, the first and the last "
        "included.",
        [("len(tokens)", "max(1, len(tokens) - 1)")],
        points=3,
    ),
    Mistake(
        "default_one",
        "Where `length_penalty` is not given the sum is divided by the length. Its default is "
        "0: the plain sum decides.",
        [("length_penalty=0.0", "length_penalty=1.0")],
    ),
    Mistake(
        "six_sixths",
        "The divisor is ((5 + length) / 6) to the power of the penalty, as another paper has "
        "it. Here it is the length itself to this power.",
        [("len(tokens)", "((5 + len(tokens)) / 6)")],
        points=3,
    ),
    Mistake(
        "times_length",
        "The sum is divided by the length *times* `length_penalty`. Asked for is the length to "
        "the *power* of it.",
        [("len(tokens) ** length_penalty", "(len(tokens) * length_penalty or 1)")],
        points=3,
    ),
    Mistake(
        "times_zero",
        "The sum is divided by the length *times* `length_penalty`, which is 0 if that is 0. "
        "Asked for is the length to the *power* of it: 1 then.",
        [("len(tokens) ** length_penalty", "(len(tokens) * length_penalty)")],
    ),
    Mistake(
        "added",
        "The penalty is added to the sum or subtracted from it. Asked for is the sum divided "
        "by the length to the power of `length_penalty`.",
        [("score / len(tokens) ** length_penalty", "score + length_penalty * len(tokens)")],
        other_forms=(
            [("score / len(tokens) ** length_penalty", "score - length_penalty * len(tokens)")],
        ),
        points=3,
    ),
    Mistake(
        "mean_if_penalty",
        "The sum is divided by the length itself, whatever `length_penalty` is. Divide by the "
        "length to the power of it.",
        [("len(tokens) ** length_penalty", "(len(tokens) if length_penalty else 1)")],
        points=3,
    ),
    Mistake(
        "penalty_on_the_way",
        "The length penalty is used at each step. While beams are kept, their plain sums "
        "count; divide at the end only.",
        [("key=lambda beam: beam[1]", "key=lambda beam: by_length(*beam)")],
        points=3,
    ),
    Mistake(
        "best_of_candidates",
        "The best is taken of all candidates of the last step, those that were cut included. "
        "It is one of the `num_beams` texts that were kept.",
        [("max(beams,", "max(candidates,")],
        points=3,
    ),
    Mistake(
        "best_ended",
        "The search stops as soon as the best text has ended. By the plain sum nothing can "
        "overtake it any more, but divided by the length a longer one may.",
        [("all(ended(tokens) for tokens, _ in beams)", "ended(beams[0][0])")],
        other_forms=(
            [  # the best by what is returned
                (
                    "all(ended(tokens) for tokens, _ in beams)",
                    "ended(max(beams, key=lambda beam: by_length(*beam))[0])",
                )
            ],
        ),
        points=3,
    ),
    Mistake(
        "chosen_by_sum",
        "The text with the largest sum is returned. Of the beams that are left, the largest "
        "*divided* score decides.",
        [("key=lambda beam: by_length(*beam)", "key=lambda beam: beam[1]")],
        points=3,
    ),
    Mistake(
        "length_without_eos",
        "The length is counted without `eos_token`. It counts all tokens, this one included.",
        [("len(tokens)", "max(1, len(tokens) - ended(tokens))")],
        points=3,
    ),
    Mistake(
        "sum_returned",
        "The score that is returned is the plain sum. Asked for is the sum divided by the "
        "power of the length, by which the text was chosen.",
        [("by_length(*best)", "best[1]")],
        points=3,
    ),
    Mistake(
        "probability",
        "The score that is returned is a probability; asked for is its logarithm.",
        [("by_length(*best)", "torch.e ** by_length(*best)")],
    ),
    Mistake(
        "negated",
        "The score has the wrong sign. It is a sum of logarithms of probabilities, so it is "
        "not above 0.",
        [("by_length(*best)", "-by_length(*best)")],
    ),
    Mistake(
        "all_beams",
        "It returns more than the best text.",
        [("return best[0]", "return [best[0]]")],
    ),
)
