"""The known mistakes of `partial_rotary`."""

from __future__ import annotations

import torch

from grading.content.common import cut_off, kept
from grading.content.positions.sections import CONVENTIONS, MISTAKES, MODULE, QUERY_AND_KEY
from grading.exercise import Mistake

from .question import turn


def _one_vector(query, key, position_ids, rotary_size, base=10000.0):
    def turned(x):
        heads, head_size = x.size(1), x.size(-1)
        angles = position_ids[..., None] * _speeds(heads * rotary_size, base)
        whole = turn(x.transpose(1, 2).flatten(2), angles.cos(), angles.sin())
        return whole.unflatten(-1, (heads, head_size)).transpose(1, 2)

    return turned(query), turned(key)


def _speeds(size, base):
    return base ** (-torch.arange(0, size, 2) / size)


def _turned_whole(query, key, position_ids, rotary_size, base=10000.0):
    size = query.size(-1)
    even = size // 2 * 2  # an odd number at the end stays
    angles = position_ids[:, None, :, None] * _speeds(size, base)[: even // 2]
    cos, sin = angles.cos(), angles.sin()
    return tuple(
        torch.cat([turn(x, cos, sin)[..., :rotary_size], x[..., rotary_size:]], dim=-1)
        for x in (query, key)
    )


def _turned_by_chunks(query, key, position_ids, rotary_size, base=10000.0):
    """As a head of an odd size raises."""
    angles = position_ids[:, None, :, None] * _speeds(query.size(-1), base)
    angles = torch.cat([angles, angles], dim=-1)

    def turned(x):
        one, two = x.chunk(2, dim=-1)
        whole = x * angles.cos() + torch.cat([-two, one], dim=-1) * angles.sin()
        return torch.cat([whole[..., :rotary_size], x[..., rotary_size:]], dim=-1).to(x.dtype)

    return turned(query), turned(key)


_PLACES = "position_ids[:, None, :, None]"
_SPLIT = "    first, second, rest = x.tensor_split([half, 2 * half], dim=-1)"
_FIRST = "first * cos - second * sin"
_SECOND = "second * cos + first * sin"
_QUERY = "turn(query, cos, sin)"
_KEY = "turn(key, cos, sin)"


COMBINED = (
    "interleaved",
    "ids_ignored",
    "first_row",
    "sign",
    "opposite",
    "key_not_turned",
    "exponent_head_size",
    "exponent",
    "base_fixed",
    "whole_head",
    "no_minus",
    "partners_across_the_head",
    "halves_of_the_head",
    "stacked",
    "cut_in_two",
    "float32_result",
)

MISTAKES = (
    Mistake(
        "interleaved",
        "The pairs are neighbours, (0, 1), (2, 3), …: that is the interleaved convention. Here "
        "number i belongs to number i + rotary_size / 2.",
        [
            (
                _SPLIT,
                "    part, rest = x.tensor_split([2 * half], dim=-1)\n"
                "    first, second = part[..., 0::2], part[..., 1::2]",
            ),
            ("[*turned, rest]", "[torch.stack(turned, dim=-1).flatten(-2), rest]"),
        ],
        section=CONVENTIONS,
    ),
    Mistake(
        "ids_ignored",
        "`position_ids` is not used: the tokens are numbered 0, 1, 2, … from the left.",
        [(_PLACES, "torch.arange(query.size(2))[:, None]")],
        section=MISTAKES,
    ),
    Mistake(
        "first_row",
        "Every sentence is turned by the positions of the first one.",
        [(_PLACES, "position_ids[:1, None, :, None]")],
    ),
    Mistake(
        "sign",
        "Queries and keys are turned backwards, both by minus the angle: the sign of the "
        "sines is wrong. Distances still count, but with before and after exchanged.",
        [("angles.sin()", "-angles.sin()")],
    ),
    Mistake(
        "opposite",
        "Queries are turned forwards and keys backwards, so scores depend on the sum of the "
        "positions. Both turn in the same direction.",
        [(_KEY, "turn(key, cos, -sin)")],
    ),
    Mistake(
        "key_not_turned",
        "Only the queries are turned; keys must be turned by their positions as well.",
        [(_KEY, "key")],
        section=QUERY_AND_KEY,
    ),
    Mistake(
        "exponent_head_size",
        "The exponent is divided by the size of the whole head; it is 2i / rotary_size, as if "
        "the part that turns were all there is.",
        [(") / rotary_size", ") / query.size(-1)")],
    ),
    Mistake(
        "exponent",
        "The exponent is half of what it should be, i/d for pair i; it must be 2i/d.",
        [("0, rotary_size, 2", "rotary_size // 2")],
        section=MISTAKES,
    ),
    Mistake(
        "pairs_from_one",
        "The pairs are counted from 1, so the fastest one is missing: pair 0 turns by 1 radian "
        "for each position.",
        [("0, rotary_size, 2", "2, rotary_size + 2, 2")],
    ),
    Mistake(
        "base_fixed",
        "10000 is written into the code, and the argument `base` is not used.",
        [("base **", "10000.0 **")],
    ),
    Mistake(
        "whole_head",
        "All of each head is turned; only its first `rotary_size` numbers may be.",
        [("    speeds =", "    rotary_size = query.size(-1)\n    speeds =")],
    ),
    Mistake(
        "last_part",
        "The last `rotary_size` numbers of each head are turned; it must be the first ones.",
        [
            (
                _SPLIT,
                "    rest, first, second = x.split([x.size(-1) - 2 * half, half, half], -1)",
            ),
            ("[*turned, rest]", "[rest, *turned]"),
        ],
    ),
    Mistake(
        "no_minus",
        "Both products are added in the first half. A rotation has a minus: "
        "first · cos − second · sin.",
        [(_FIRST, "first * cos + second * sin")],
    ),
    Mistake(
        "two_minuses",
        "Both halves have a minus. The second half has a plus: second · cos + first · sin.",
        [(_SECOND, "second * cos - first * sin")],
    ),
    Mistake(
        "rest_dropped",
        "Only the turned numbers come back; the rest of each head must follow them, unchanged.",
        [("[*turned, rest]", "turned")],
    ),
    Mistake(
        "rest_from_minus_zero",
        "Where all of each head turns, the whole head comes once more behind the turned "
        "numbers: a slice `[-n:]` with n = 0 is everything. Cut from the left, "
        "`[rotary_size:]`.",
        [
            (
                _SPLIT,
                "    first, second = x[..., :half], x[..., half : 2 * half]\n"
                "    rest = x[..., 2 * half - x.size(-1) :]",
            )
        ],
    ),
    Mistake(
        "rest_zero",
        "The rest of each head is zero; it must be what it was.",
        [("[*turned, rest]", "[*turned, torch.zeros_like(rest)]")],
    ),
    Mistake(
        "rest_first",
        "The rest of each head comes before its turned numbers; the order must stay as it was.",
        [("[*turned, rest]", "[rest, *turned]")],
    ),
    Mistake(
        "halves_of_the_head",
        "The second partners are taken from the second half of the whole head; number i "
        "belongs to number i + rotary_size / 2.",
        [
            (
                _SPLIT,
                "    middle = x.size(-1) // 2\n"
                "    ends = [half, middle, middle + half]\n"
                "    first, between, second, rest = x.tensor_split(ends, dim=-1)",
            ),
            ("[*turned, rest]", "[turned[0], between, turned[1], rest]"),
        ],
    ),
    Mistake(
        "partners_across_the_head",
        "The halves are those of the whole head (`rotate_half` of everything), so a number is "
        "turned with a wrong partner. Cut off the part that turns first, then halve it.",
        [
            (
                _SPLIT,
                "    middle = x.size(-1) // 2\n"
                "    other = torch.cat([-x[..., middle:], x[..., :middle]], dim=-1)\n"
                f"{_SPLIT}",
            ),
            (_FIRST, "first * cos + other[..., :half] * sin"),
            (_SECOND, "second * cos + other[..., half : 2 * half] * sin"),
        ],
        other_forms=(
            [
                (
                    _SPLIT,
                    "    fore, aft = x.chunk(2, dim=-1)\n"
                    "    other = torch.cat([-aft, fore], dim=-1)\n"
                    f"{_SPLIT}",
                ),
                (_FIRST, "first * cos + other[..., :half] * sin"),
                (_SECOND, "second * cos + other[..., half : 2 * half] * sin"),
            ],
        ),
    ),
    Mistake(
        "from_the_first_place",
        "The positions are taken relative to the first one of each row; use them as they are. "
        "(The scores would not show it, but other code turns its keys by the right positions.)",
        [(_PLACES, "(position_ids - position_ids[:, :1])[:, None, :, None]")],
        other_forms=([(_PLACES, "(position_ids - position_ids.amin(1, True))[:, None, :, None]")],),
    ),
    Mistake(
        "short_table",
        "Sines and cosines come from a table that has no rows for positions near 1000. "
        "Compute them from the positions, or make the table as long as they need.",
        [
            (
                f"{_PLACES} * speeds",
                "(torch.arange(512)[:, None] * speeds)[position_ids][:, None]",
            )
        ],
        points=3,
    ),
    Mistake(
        "query_not_turned",
        "Only the keys are turned; queries must be turned by their positions as well.",
        [(_QUERY, "query")],
        section=QUERY_AND_KEY,
    ),
    Mistake(
        "exchanged_results",
        "Queries and keys are exchanged in the result: return the queries first.",
        [(f"{_QUERY}, {_KEY}", f"{_KEY}, {_QUERY}")],
    ),
    Mistake(
        "sine_and_cosine_exchanged",
        "Sine and cosine are exchanged: at position 0 nothing may turn, so the cosine stays "
        "with the number itself.",
        [("angles.cos(), angles.sin()", "angles.sin(), angles.cos()")],
    ),
    Mistake(
        "exponent_doubled",
        "The exponents of the speeds are too large, as if they were doubled: "
        "`torch.arange(0, rotary_size, 2)` counts 2i already, and divided by `rotary_size` the "
        "last one is still less than 1.",
        [("-torch.arange", "-2 * torch.arange")],
    ),
    Mistake(
        "speeds_up",
        "The pairs turn faster and faster instead of more slowly: the sign of the exponent is "
        "wrong.",
        [("-torch.arange", "torch.arange")],
    ),
    Mistake(
        "overwritten",
        "The first partner was overwritten before the second one was computed: both need the "
        "numbers as they were before turning.",
        [
            (
                f"    turned = [{_FIRST}, {_SECOND}]",
                f"    first = {_FIRST}\n    second = {_SECOND}\n    turned = [first, second]",
            )
        ],
    ),
    Mistake(
        "angles_of_neighbours",
        "The angles are repeated for neighbours (`repeat_interleave`), but the partners are "
        "taken from two halves. For halves, put the angles side by side twice: "
        "`torch.cat([angles, angles], dim=-1)`.",
        [
            (
                f"    turned = [{_FIRST}, {_SECOND}]",
                "    part = torch.cat([first, second], dim=-1)\n"
                "    other = torch.cat([-second, first], dim=-1)\n"
                "    cos = cos.repeat_interleave(2, dim=-1)\n"
                "    sin = sin.repeat_interleave(2, dim=-1)\n"
                "    turned = [part * cos + other * sin]",
            )
        ],
        section=CONVENTIONS,
    ),
    Mistake(
        "keys_with_default_base",
        "The queries are turned with `base`, the keys with 10000.",
        [
            (
                f"    return {_QUERY}, {_KEY}",
                "    speeds = 10000.0 ** (-torch.arange(0, rotary_size, 2) / rotary_size)\n"
                f"    angles = {_PLACES} * speeds\n"
                f"    return {_QUERY}, turn(key, angles.cos(), angles.sin())",
            )
        ],
    ),
    Mistake(
        "keys_repeated",
        "The keys came back with as many heads as the queries; they keep the heads they have.",
        [(_KEY, f"{_KEY}.repeat_interleave(query.size(1) // key.size(1), dim=1)")],
        other_forms=([(_KEY, f"{_KEY}.repeat(1, query.size(1) // key.size(1), 1, 1)")],),
        points=3,
    ),
    Mistake(
        "turned_twice",
        "Everything is turned twice, by double the angle.",
        [(_QUERY, f"turn({_QUERY}, cos, sin)"), (_KEY, f"turn({_KEY}, cos, sin)")],
    ),
    Mistake(
        "places_from_one",
        "Each position is one too large: `position_ids` says the positions as they are. (The "
        "scores would not show it, but other code turns its keys by the right positions.)",
        [(_PLACES, "(position_ids + 1)[:, None, :, None]")],
    ),
    Mistake(
        "added",
        "The sines and cosines are added to the numbers; they must turn them.",
        [(_FIRST, "first + sin"), (_SECOND, "second + cos")],
        other_forms=([(_FIRST, "first + sin"), (_SECOND, "second + cos"), (".to(x.dtype)", "")],),
    ),
    Mistake(
        "cosine_only",
        "Each number is multiplied by its cosine only; the other one of the pair, times the "
        "sine, is missing.",
        [(_FIRST, "first * cos"), (_SECOND, "second * cos")],
        other_forms=([(_FIRST, "first * cos"), (_SECOND, "second * cos"), (".to(x.dtype)", "")],),
    ),
    Mistake(
        "head_axis",
        "The angles lie along the heads instead of the tokens. [batch, tokens, pairs] becomes "
        "[batch, 1, tokens, pairs].",
        [(_PLACES, "position_ids[:, :, None, None]")],
    ),
    Mistake(
        "scaled",
        "The queries are also divided by √d; scaling is left to the attention.",
        [(_QUERY, "turn(query / query.size(-1) ** 0.5, cos, sin)")],
    ),
    Mistake(
        "stacked",
        "It fails where keys have fewer heads than queries: turn each by itself (stack or "
        "join nothing), by angles that are not made for a certain number of heads.",
        [(f"{_QUERY}, {_KEY}", "turn(torch.stack([query, key]), cos, sin).unbind(0)")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "cut_in_two",
        "Queries and keys are turned as one tensor and cut apart into two equal pieces, so "
        "fewer heads of keys get some of the queries. Cut behind the heads of the queries.",
        [
            (
                f"{_QUERY}, {_KEY}",
                "turn(torch.cat([query, key], dim=1), cos, sin).chunk(2, dim=1)",
            )
        ],
        points=3,
    ),
    Mistake(
        "in_place",
        "The numbers are right, but `query` and `key` themselves were changed; make new tensors.",
        [
            (
                "    return torch.cat([*turned, rest], dim=-1).to(x.dtype)",
                "    x[..., : 2 * half] = torch.cat(turned, dim=-1)\n    return x",
            )
        ],
        any_error=True,
    ),
    Mistake(
        "angles_over_all_heads",
        "The exponent counts on from head to head, so each head turns at speeds of its own. "
        "All heads have the same: i counts the pairs of one head.",
        [
            (
                "torch.arange(0, rotary_size, 2) / rotary_size",
                "torch.arange(0, query.size(1) * rotary_size, 2)\n"
                "        .view(query.size(1), 1, -1) / (query.size(1) * rotary_size)",
            )
        ],
    ),
    Mistake(
        "one_vector_of_all_heads",
        "All heads of a token are turned as one long vector, with its pairs, its speeds and "
        "its rest. Each head has its own pairs, and i counts those of one head.",
        _one_vector,
    ),
    Mistake(
        "turned_whole_then_cut",
        "The whole head is turned, with the speeds and the partners that belong to its full "
        "size, and then cut to `rotary_size`. Cut off the part that turns first, and turn it "
        "as if it were all there is.",
        _turned_whole,
        other_forms=(_turned_by_chunks,),
    ),
    Mistake(
        "one_row_for_all_places",
        "All tokens are turned by the angle of one position, that of the row's last token. "
        "Each has its own.",
        [(_PLACES, "position_ids[:, None, -1:, None]")],
    ),
    kept(
        [
            ("base=10000.0):", "base=10000.0, kept={}):"),
            (
                "    cos, sin",
                "    angles = kept.setdefault((query.size(2), rotary_size), angles[:1])\n"
                "    cos, sin",
            ),
        ],
        other_forms=(
            [
                ("base=10000.0):", "base=10000.0, kept={}):"),
                (
                    "    cos, sin",
                    "    angles = kept.setdefault(angles.shape, angles)\n    cos, sin",
                ),
            ],
            [  # the speeds of the very first call, from case to case
                ("base=10000.0):", "base=10000.0, kept={}):"),
                (
                    "    angles =",
                    "    speeds = kept.setdefault(0, speeds)[: rotary_size // 2]\n    angles =",
                ),
            ],
            [
                ("base=10000.0):", "base=10000.0, kept={}):"),
                (
                    "    cos, sin",
                    "    angles = kept.setdefault(query.size(2), angles)\n"
                    "    angles = angles.expand(-1, -1, -1, rotary_size // 2)\n"
                    "    cos, sin",
                ),
            ],
            [  # the speeds of the first base
                ("base=10000.0):", "base=10000.0, kept={}):"),
                (
                    "    angles =",
                    "    speeds = kept.setdefault(rotary_size, speeds)\n    angles =",
                ),
            ],
        ),
        any_error=True,
    ),
    cut_off([("def partial_rotary", "@torch.no_grad()\ndef partial_rotary")], points=3),
    Mistake(
        "float32_result",
        "All is right in float32, but bfloat16 queries or keys, or both, come back as float32: "
        "the cosines lift them. Convert each result back with `.to(…)`.",
        [(".to(x.dtype)", "")],
        other_forms=([(".to(x.dtype)", ""), (_QUERY, f"{_QUERY}.to(query.dtype)")],),
        points=3,
    ),
    Mistake(
        "angles_rounded",
        "Positions, speeds or their products are converted to the dtype of the queries: in "
        "bfloat16 position 901 is 900. Compute angles in float32.",
        [(f"{_PLACES} * speeds", f"{_PLACES}.to(query.dtype) * speeds.to(query.dtype)")],
        section=MODULE,
        points=3,
    ),
)
