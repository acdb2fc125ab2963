"""The known mistakes of `induction_score`."""

from __future__ import annotations

import torch

from grading.content.common import changed_in_place, kept_name
from grading.exercise import Mistake


def _repeated_halves(attention, input_ids, attention_mask=None):
    """As in the chapter: the positions one half of the text, less one, before the query."""
    half = input_ids.size(1) // 2
    stripes = attention.diagonal(1 - half, dim1=-2, dim2=-1)[..., 1:]
    return stripes.mean(dim=(1, 3)), float(1 / torch.arange(half + 1, 2 * half + 1).float().mean())


def _across_texts(attention, input_ids, attention_mask=None):
    """With a dictionary of places that isn't emptied between the texts of a batch."""
    mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    places: dict[int, list[int]] = {}
    found, shares = [], []
    for b, ids in enumerate(input_ids.tolist()):
        for t, token in enumerate(ids):
            if mask[b, t]:
                targets = [s + 1 for s in places.get(token, []) if s + 1 < t]
                places.setdefault(token, []).append(t)
                if targets:
                    found.append(attention[:, b, :, t, targets].sum(-1))
                    shares.append(len(targets) / int(mask[b, : t + 1].sum()))
    if not found:
        return attention.new_zeros(attention.size(0), attention.size(2)), 0.0
    return torch.stack(found).mean(0), sum(shares) / len(shares)


_FOLLOWS = "follows = F.pad(same[:, :, :-1], (1, 0))"
_VALUES = "values = (attention * target[:, None]).sum(dim=-1)"
_SCORE = "score = (values * counts[:, None]).sum(dim=(1, 3)) / number"
_CHANCE_LINE = "chance = (even * counts).sum() / number"
_IN_MASKS_DTYPE = 'seen.sum(dim=-1, dtype=getattr(attention_mask, "dtype", None))'


COMBINED = (
    "same_token",
    "own_place",
    "latest",
    "mean_of_targets",
    "all_queries",
    "mean_by_text",
    "no_mask",
    "nan",
    "chance_without_itself",
    "chance_of_all",
    "chance_of_one",
)

MISTAKES = (
    Mistake(
        "same_token",
        "The attention is read at the earlier occurrence of the query's token itself. An "
        "induction head attends to the token *after* it, at s + 1.",
        [(_FOLLOWS, "follows = same")],
        other_forms=([(_FOLLOWS, "follows = same"), ("(key < query)", "(key < query - 1)")],),
    ),
    Mistake(
        "token_before",
        "The attention is read one position *before* the earlier occurrence. The target is the "
        "position after it, s + 1.",
        [(_FOLLOWS, "follows = F.pad((same & (key < query))[:, :, 1:], (0, 1))")],
        other_forms=([(_FOLLOWS, "follows = F.pad(same[:, :, 1:], (0, 1))")],),
    ),
    Mistake(
        "own_place",
        "After a token that is repeated at once, the query's own position counts as a target. "
        "A target lies before the query: s + 1 < t.",
        [("(key < query)", "(key <= query)")],
    ),
    Mistake(
        "rolled",
        "`roll` brings the last position round to the first, so the first position becomes a "
        "target of every query with the last token's id. Nothing comes before the first one.",
        [(_FOLLOWS, "follows = same.roll(1, -1)")],
    ),
    Mistake(
        "neighbour_left_out",
        "The position just before the query doesn't count as a target. It does if the token "
        "before it is the query's: s + 1 < t.",
        [("(key < query)", "(key < query - 1)")],
    ),
    Mistake(
        "heads_averaged",
        "The heads or the layers are averaged. Each head of each layer has a score of its own, "
        "`[layers, heads]`.",
        [("return score,", "return score.mean(1),")],
        other_forms=(
            [("return score,", "return score.mean(0),")],
            [("return score,", "return score.mean(),")],
        ),
    ),
    Mistake(
        "latest",
        "Only the last earlier occurrence gives a target. Every earlier occurrence does, and "
        "the attention to all of them is added up.",
        [
            (
                "    counts =",
                "    target = target & (target.flip(-1).cumsum(-1).flip(-1) == 1)\n    counts =",
            )
        ],
        other_forms=(
            [
                (
                    "target = follows & (key < query)",
                    "follows = follows & (key <= query)\n"
                    "    last = follows.flip(-1).cumsum(-1).flip(-1) == 1\n"
                    "    target = follows & last & (key < query)",
                )
            ],
        ),
    ),
    Mistake(
        "first",
        "Only the first occurrence gives a target. Every earlier occurrence does, and the "
        "attention to all of them is added up.",
        [("    counts =", "    target = target & (target.cumsum(-1) == 1)\n    counts =")],
    ),
    Mistake(
        "mean_of_targets",
        "A query's value is the mean of its attention to its targets. It's their sum: a head "
        "that shares its attention among three targets does as well as with one.",
        [(_VALUES, f"{_VALUES} / target.sum(dim=-1).clamp(min=1)[:, None]")],
    ),
    Mistake(
        "largest_target",
        "A query's value is its largest attention to a target. It's the sum over all targets.",
        [(_VALUES, "values = (attention * target[:, None]).amax(dim=-1)")],
    ),
    Mistake(
        "all_queries",
        "The sum is divided by the number of all queries. Those without a target don't count: "
        "divide by the number of queries that have at least one.",
        [("number = counts.sum().clamp(min=1)", "number = real.sum()")],
        other_forms=(
            [("number = counts.sum().clamp(min=1)", "number = counts.numel()")],
            [(_SCORE, _SCORE.replace("number", "real.sum()"))],
            [(_SCORE, _SCORE.replace("number", "counts.numel()"))],
        ),
    ),
    Mistake(
        "values_not_zero",
        "Queries are counted whose value isn't 0. Those count that have a target, even if the "
        "head gives no attention to it.",
        [(_SCORE, "score = values.sum((1, 3)) / (values > 0).sum((1, 3)).clamp(min=1)")],
    ),
    Mistake(
        "across_texts",
        "What one text holds counts as earlier in the next one of the batch. Each text begins "
        "anew: look for earlier occurrences in the query's own text only.",
        _across_texts,
    ),
    Mistake(
        "number_of_targets",
        "The sum is divided by the number of targets. It's a mean over queries: divide by the "
        "number of queries that have at least one target.",
        [(_SCORE, _SCORE.replace("number", "target.sum().clamp(min=1)"))],
        other_forms=([("number = counts.sum()", "number = target.sum()")],),
    ),
    Mistake(
        "mean_by_text",
        "Each text is averaged by itself, and then the texts are. Take the mean over the "
        "queries of the whole batch: a text with more queries that count is heavier.",
        [
            (
                _SCORE,
                "each = counts.sum(dim=1).clamp(min=1)[:, None]\n"
                "    score = ((values * counts[:, None]).sum(dim=3) / each).mean(dim=1)",
            )
        ],
        other_forms=(
            [
                (
                    _SCORE,
                    "each = counts.sum(dim=1).clamp(min=1)[:, None]\n"
                    "    score = ((values * counts[:, None]).sum(dim=3) / each).mean(dim=1)",
                ),
                (
                    _CHANCE_LINE,
                    "chance = ((even * counts).sum(dim=1) / each[:, 0]).mean()",
                ),
            ],
        ),
    ),
    Mistake(
        "mean_by_position",
        "The texts are averaged at each position first, and then the positions are. Take the "
        "mean over the queries of the whole batch, each of which counts the same.",
        [
            (
                _SCORE,
                "there = counts.any(dim=0)\n"
                "    each = (values * counts[:, None]).sum(1) / counts.sum(0).clamp(min=1)\n"
                "    score = (each * there).sum(-1) / there.sum().clamp(min=1)",
            )
        ],
    ),
    Mistake(
        "repeats_left_out",
        "A token that comes twice in a row gives no target to any query. Only the query right "
        "behind it gets none from it: that target would be the query itself, not s + 1 < t.",
        [
            (
                "    follows =",
                "    again = (input_ids[:, 1:] == input_ids[:, :-1]) & real[:, 1:]\n"
                "    same = same & ~F.pad(again, (0, 1))[:, None]\n"
                "    follows =",
            )
        ],
    ),
    Mistake(
        "later_too",
        "Later occurrences of the token count, too, so queries count that have no target. Only "
        "what is earlier than the query can be a target: s + 1 < t.",
        [(" & (key < query)", "")],
        other_forms=([("(key < query)", "(key != query)")],),
    ),
    Mistake(
        "exchanged",
        "Queries and keys are exchanged. The last axis of `attention` is the key.",
        [("(attention *", "(attention.mT *")],
    ),
    Mistake(
        "reshaped",
        "Texts and heads are exchanged with `reshape` or `view`, which leaves all numbers in "
        "their order and only divides them anew: maps of one text are taken for another's. "
        "`transpose` exchanges two axes.",
        [
            (
                _VALUES,
                "maps = attention.reshape(len(attention), -1, len(input_ids), tokens, tokens)\n"
                "    values = (maps * target).sum(dim=-1).transpose(1, 2)",
            )
        ],
    ),
    Mistake(
        "repeated_halves",
        "This is the chapter's score, for a text whose second half repeats the first. Here the "
        "targets of each query follow from where its token occurred before.",
        _repeated_halves,
        any_error=True,
    ),
    Mistake(
        "hits",
        "This is how often a head's largest attention is on a target. Asked for is the mean of "
        "the attention itself.",
        [
            (
                _VALUES,
                "best = attention.argmax(dim=-1, keepdim=True)\n"
                "    on_target = target[:, None].expand(attention.shape).gather(-1, best)\n"
                "    values = on_target.squeeze(-1).float()",
            )
        ],
    ),
    Mistake(
        "largest_query",
        "The score is the largest value of a query. It's the mean over the queries.",
        [(_SCORE, "score = (values * counts[:, None]).amax(dim=(1, 3))")],
    ),
    Mistake(
        "not_averaged",
        "The values are added up over the queries, and not divided by their number.",
        [(_SCORE, "score = (values * counts[:, None]).sum(dim=(1, 3))")],
    ),
    Mistake(
        "less_chance",
        "Chance is subtracted from the score. The two come back side by side.",
        [("return score,", "return score - chance,")],
        other_forms=([("return score,", "return score / chance,")],),
    ),
    Mistake(
        "zero_is_padding",
        "Tokens with the id 0 are taken for padding. What is padding is said by "
        "`attention_mask` alone.",
        [("real = real != 0", "real = input_ids != 0")],
        other_forms=([("real = real != 0", "real = (real != 0) & (input_ids != 0)")],),
    ),
    Mistake(
        "pair_exchanged",
        "The two results come back in the wrong order: `(score, chance)`.",
        [("return score, float(chance)", "return float(chance), score")],
    ),
    Mistake(
        "only_score",
        "Only the scores come back. Asked for are two results, `(score, chance)`.",
        [("return score, float(chance)", "return score")],
    ),
    Mistake(
        "no_mask",
        "`attention_mask` isn't used: padding passes for tokens. It's neither a query nor an "
        "earlier occurrence.",
        [("real = real != 0", "real = torch.ones_like(real, dtype=torch.bool)")],
        points=3,
    ),
    Mistake(
        "right_padding_only",
        "Each text is cut to its length from the left, as if padding were on the right alone. "
        "It may be on the left: which positions are real is what the mask says.",
        [
            (
                "real = real != 0",
                "real = torch.arange(tokens) < (real != 0).sum(dim=1, keepdim=True)",
            )
        ],
        points=3,
    ),
    Mistake(
        "padded_queries",
        "Padded queries count. A padded position with the id of an earlier token is no "
        "repetition: the query, too, must be real.",
        [("same & real[:, :, None] & real[:, None, :]", "same & real[:, None, :]")],
        points=3,
    ),
    Mistake(
        "padded_keys",
        "Padding counts as an earlier occurrence of the query's token. Only real tokens do; "
        "that the *target* is real isn't enough.",
        [("same & real[:, :, None] & real[:, None, :]", "same & real[:, :, None]")],
        other_forms=(
            [
                ("    same = same & real[:, :, None] & real[:, None, :]\n", ""),
                ("(key < query)", "(key < query) & real[:, :, None] & real[:, None, :]"),
            ],
        ),
        points=3,
    ),
    Mistake(
        "padded_pair",
        "Padding counts as a repetition of padding: padded positions have one id now, and are "
        "equal to each other. Neither the query nor what it repeats may be padding.",
        [
            (
                "input_ids[:, :, None] == input_ids[:, None, :]",
                "ids[:, :, None] == ids[:, None, :]",
            ),
            ("    same = same & real[:, :, None] & real[:, None, :]\n", ""),
            ("    key = torch", "    ids = input_ids.masked_fill(~real, -1)\n    key = torch"),
        ],
        points=3,
    ),
    Mistake(
        "chance_of_padding",
        "For chance, the padding on the left is counted among the keys that a query may see. "
        "Only real tokens are.",
        [("real[:, None, :] & (key <= query)", "(key <= query).expand(len(real), -1, -1)")],
        points=3,
    ),
    Mistake(
        "counted_in_int8",
        "Keys are counted in the dtype of the mask. `int8` ends at 127, so in longer texts the "
        "counts are wrong: count in `int64`.",
        [("seen.sum(dim=-1).clamp(min=1)", f"torch.where(counts, {_IN_MASKS_DTYPE}, 1)")],
        other_forms=([("seen.sum(dim=-1).clamp(min=1)", f"{_IN_MASKS_DTYPE}.clamp(min=1)")],),
        points=3,
    ),
    Mistake(
        "padding_before",
        "For chance, all padding of a text is subtracted from the keys that a query may see. "
        "What is on the right comes after every query and was never among them.",
        [
            (
                "seen.sum(dim=-1).clamp(min=1)",
                "(key + 1 - (~real).sum(dim=1, keepdim=True)).clamp(min=1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "nan",
        "Where no query has a target, a mean over no queries is 0/0. The results are 0 there.",
        [("counts.sum().clamp(min=1)", "counts.sum()")],
        other_forms=([(_CHANCE_LINE, _CHANCE_LINE.replace("number", "counts.sum()"))],),
        any_error=True,
        points=3,
    ),
    Mistake(
        "chance_without_itself",
        "For chance, a query's own position isn't counted among the keys that it may see. It "
        "may attend to itself, so an even head gives that position a share, too.",
        [("(key <= query)", "(key < query)")],
        points=3,
    ),
    Mistake(
        "chance_of_all",
        "For chance, the attention is spread over all positions of the text. The head is "
        "causal: a query sees only the positions up to its own.",
        [("(key <= query)", "(key < tokens).expand(tokens, -1)")],
        points=3,
    ),
    Mistake(
        "chance_of_attended",
        "For chance, only keys are counted that a head gives some attention. Which keys a "
        "query *may* see doesn't depend on a head: the real tokens up to its own position.",
        [("seen = real[:, None, :] & (key <= query)", "seen = attention[0, :, 0] > 0")],
        points=3,
    ),
    Mistake(
        "chance_by_text",
        "For chance, each text is averaged by itself, and then the texts are. As for the "
        "score, it's the mean over the queries of the whole batch.",
        [
            (
                _CHANCE_LINE,
                "chance = ((even * counts).sum(1) / counts.sum(1).clamp(min=1)).mean()",
            )
        ],
        points=3,
    ),
    Mistake(
        "chance_of_whole_text",
        "For chance, the attention is spread over all positions of the text, padding "
        "included. A query sees only the real tokens up to its own position.",
        [("seen.sum(dim=-1).clamp(min=1)", "tokens")],
        points=2,
    ),
    Mistake(
        "chance_of_one",
        "For chance, each query is given one target. An even head gives each of the targets "
        "its share, and a query may have several.",
        [("even = target.sum(dim=-1) /", "even = counts /")],
        points=3,
    ),
    Mistake(
        "ratio_of_sums",
        "For chance, all targets are divided by all keys that are seen. It's a mean over "
        "queries, like the score: a share for each query, then their mean.",
        [(_CHANCE_LINE, "chance = target.sum() / (seen.sum(-1) * counts).sum().clamp(min=1)")],
        points=3,
    ),
    Mistake(
        "chance_of_all_queries",
        "For chance, the mean runs over all queries. As for the score, only those with a "
        "target count.",
        [(_CHANCE_LINE, "chance = (even * counts).sum() / real.sum()")],
        points=3,
    ),
    Mistake(
        "chance_of_all_places",
        "For chance, the mean runs over all positions of the batch, those of padding "
        "included. As for the score, only queries with a target count.",
        [(_CHANCE_LINE, "chance = even.mean()")],
        points=2,
    ),
    changed_in_place(
        "attention",
        [("(attention * target[:, None])", "attention.mul_(target[:, None])")],
    ),
    kept_name("attention_mask=None", "target", "    counts ="),
)
