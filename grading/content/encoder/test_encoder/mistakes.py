"""The known mistakes of `test_encoder`."""

from __future__ import annotations

import textwrap

from grading.content.encoder.sections import NOT_ARRIVED, ON_ITS_WAY, ORDER, TYPES
from grading.exercise import Mistake
from grading.exercise.edits import Edits

_CALLS = {  # the lines of the test
    name: f"    check_{name}({'encode' if name == 'arguments' else 'on_copies'})\n"
    for name in ("padding", "order", "segments", "context", "twice", "arguments")
}
_ALL_CALLS = "".join(_CALLS.values())


def _without(*names: str) -> Edits:
    """Leave out some of the checks."""
    return [(_CALLS[name], "") for name in names]


def _instead(code: str) -> Edits:
    """Do something else in place of all checks."""
    return [(_ALL_CALLS, code)]


def _tried(then: str) -> Edits:
    """Catch what a failed check raises."""
    tried = textwrap.indent(_ALL_CALLS, "    ")
    return _instead(f"    try:\n{tried}    except AssertionError:\n        {then}\n")


COMBINED = ("no_order", "no_segments", "padded_alone", "no_context", "no_arguments")

MISTAKES = (
    Mistake(
        "says_nothing",
        "The test accepts every encoder. Shapes alone say nothing, so compare numbers; and "
        "the exception of a failed `assert` must get out of the test.",
        _instead("    assert on_copies(*draw_texts(5, 3)).shape[:2] == (2, 5)\n"),
        equivalent=(_tried("pass"),),
    ),
    Mistake(
        "says_false",
        "The test returns True or False. What it returns is not looked at: it must raise an "
        "exception (`assert`).",
        _tried("return False\n    return True"),
    ),
    Mistake(
        "rejects_everything",
        "The test rejects every encoder, right ones too. Either it fails by itself (call "
        "`encode(input_ids, attention_mask, token_type_ids)` with ids from 1 to 39), or it "
        "asks for what is not promised: equal rows of *padding*, or equal results where a "
        "padded batch has a mask of ones.",
        _instead("    encode(draw_texts(5, 3)[0])\n"),
        equivalent=(
            [
                ("together[i, :length]", "together[i].mean(dim=0)"),
                ("types[one, :length])[0]", "types[one, :length])[0].mean(dim=0)"),
            ],
            [
                (
                    "    together = encode(ids, mask, types)\n",
                    "    together = encode(ids, torch.ones_like(mask), types)\n",
                )
            ],
        ),
    ),
    Mistake(
        "exact",
        "Right encoders are rejected. Are rows of padding compared, which may hold anything? "
        "Must numbers be equal to the last digit, though with padding sums are added in "
        "another order? Or does padding stand on the left, though it is promised on the right?",
        [("<= 1e-4", "== 0")],
        equivalent=(
            [
                ("(torch.arange(tokens) <", "(tokens - 1 - torch.arange(tokens) <"),
                ("together[i, :length]", "together[i, -length:]"),
                (
                    "encode(ids[one, :length], mask[one, :length], types[one, :length])",
                    "encode(ids[one, -length:], mask[one, -length:], types[one, -length:])",
                ),
            ],
        ),
    ),
    Mistake(
        "as_wide_as_the_batch",
        "Each text is compared with itself in a call of its own where it is padded just as "
        "much, and in all rows. What is done to the mask then shows in neither call, and rows "
        "of padding may hold anything: leave the padding out of one of the calls.",
        [
            (
                "encode(ids[one, :length], mask[one, :length], types[one, :length])",
                "encode(ids[one], mask[one], types[one])",
            ),
            ("together[i, :length]", "together[i]"),
        ],
    ),
    Mistake(
        "no_padding",
        "Encoders whose mask does not work get through. “Alone = in batch” is the most useful "
        "test of an encoder: is a text compared with itself in a batch where it is padded, to "
        "0.0001 or so, and is what comes out asserted, not printed?",
        _without("padding"),
        equivalent=([("<= 1e-4", "<= 10")],),
    ),
    Mistake(
        "no_order",
        "Encoders without positions get through: shuffle the words, or repeat one, and see "
        "that more happens than a shuffle of the vectors.",
        _without("order"),
        section=ORDER,
    ),
    Mistake(
        "no_segments",
        "Encoders that ignore the segments get through: encode the same ids with other "
        "`token_type_ids`.",
        _without("segments"),
        section=TYPES,
    ),
    Mistake(
        "padded_alone",
        "What happens between the texts of a batch, such as the mask of the first one for all, "
        "is not seen: texts are padded one at a time, or only the first one is compared.",
        [
            ("    together = encode(ids, mask, types)\n", ""),
            ("together[i, :length]", "encode(ids[one], mask[one], types[one])[0, :length]"),
        ],
        points=2,
        section=ON_ITS_WAY,
    ),
    Mistake(
        "no_context",
        "Encoders in which tokens do not see all others get through: change one word, and "
        "*every* vector of its text must move, before and behind.",
        _without("context"),
        points=3,
        section="“The plan” in chapter 6",
        equivalent=([("moved.all()", "moved.any()")],),
    ),
    Mistake(
        "first_word_only",
        "An encoder that looks only back gets through. Change the *last* word of a text as "
        "well, and look at every vector, the first one, too.",
        [("(0, 8)", "(0,)")],
        points=3,
        section="“The plan” in chapter 6",
        equivalent=([("moved.all()", "moved[-1]")],),
    ),
    Mistake(
        "last_word_only",
        "An encoder that looks only ahead gets through. Change the *first* word of a text as "
        "well, and look at every vector, the last one, too.",
        [("(0, 8)", "(8,)")],
        points=3,
        section="“The plan” in chapter 6",
        equivalent=([("moved.all()", "moved[0]")],),
    ),
    Mistake(
        "one_half_changed",
        "Only words of one half are changed, so an encoder that never looks at the first word, "
        "or never at the last one, gets through. Change both, one after the other.",
        [("(0, 8)", "(5, 6, 7, 8)"), ("(9, 4, 1, longer=3)", "(9, 4, 2, longer=3)")],
        other_forms=([("(0, 8)", "(0, 1, 2, 3)"), ("(9, 4, 1, longer=3)", "(9, 4, 2, longer=3)")],),
        points=3,
        section="“The plan” in chapter 6",
    ),
    Mistake(
        "wide_tolerance",
        "An encoder whose mask lets a little of the padding through passes: the vectors of a "
        "text alone and in a batch may differ too much. Right ones agree to about 0.00001.",
        [("<= 1e-4", "<= 0.01")],
        points=3,
        section=ON_ITS_WAY,
    ),
    Mistake(
        "first_vector",
        "Only the first vector of each text is compared with the text alone, and a mask may "
        "hold for that one and not for others. Compare the rows of all words.",
        [("(padded - alone)", "(padded - alone)[:1]")],
        points=3,
        section=NOT_ARRIVED,
    ),
    Mistake(
        "last_vector",
        "Only the last vector of each text is compared with the text alone, and a mask may "
        "hold for that one and not for others. Compare the rows of all words.",
        [("(padded - alone)", "(padded - alone)[-1:]")],
        points=3,
        section=NOT_ARRIVED,
    ),
    Mistake(
        "longest_texts",
        "Not every text of the batch is compared with itself alone, or all are of one length. "
        "A mask may hold for some and not for others: compare all of them, of several lengths.",
        [("mask.sum(dim=1).tolist()", "mask.sum(dim=1).tolist()[:2]")],
        other_forms=(
            [  # each alone with padding, and each as the first of a batch
                (
                    "        padded = together[i, :length]\n",
                    "        batch = [tensor.roll(-i, 0) for tensor in (ids, mask, types)]\n"
                    "        padded = encode(*batch)[0, :length]\n"
                    "        single = encode(ids[one], mask[one], types[one])[0, :length]\n"
                    "        assert (single - alone).abs().max() <= 1e-4\n",
                )
            ],
        ),
        points=3,
        section=ON_ITS_WAY,
    ),
    Mistake(
        "last_text_only",
        "Only the last text of the batch is compared with itself alone. A mask may hold for "
        "that one and not for others: compare all of them.",
        [
            (
                "enumerate(mask.sum(dim=1).tolist())",
                "list(enumerate(mask.sum(dim=1).tolist()))[-1:]",
            )
        ],
        points=3,
        section=ON_ITS_WAY,
    ),
    Mistake(
        "one_text_full",
        "One text fills the batch, so it has no padding, and a mask that fails for that one "
        "alone is not seen. Make the batch wider than its longest text.",
        [("draw_texts(9, 4, 1, longer=3)", "draw_texts(9, 4, 1)")],
        other_forms=([("draw_texts(9, 4, 1, longer=3)", "draw_texts(1, 4, 9)")],),
        points=3,
        section=ON_ITS_WAY,
    ),
    Mistake(
        "mask_dtype",
        "Right encoders are rejected, those that calculate with the mask (`1 - …`) or count "
        "with it. It is promised as whole numbers, as the ids are: neither booleans nor "
        "floats.",
        [("lengths)[:, None]).long()", "lengths)[:, None])")],
        other_forms=(
            [
                (
                    "        return encode(*(tensor.clone() for tensor in batch))\n",
                    "        ids, mask, types = (tensor.clone() for tensor in batch)\n"
                    "        return encode(ids, mask.float(), types)\n",
                )
            ],
        ),
    ),
    Mistake(
        "too_long",
        "Right encoders are rejected, those that have no more than 20 positions. With its "
        "padding a batch may have at most 20 tokens.",
        [("longer=3", "longer=15")],
    ),
    Mistake(
        "unpadded",
        "All texts of the batch are equally long, so there is no padding, and no mask has "
        "anything to hide. Take different lengths.",
        [("draw_texts(9, 4, 1, longer=3)", "draw_texts(9, 9)")],
    ),
    Mistake(
        "padding_is_zero",
        "Right encoders are rejected, all but the one that computes each text by itself. Are "
        "rows of padding expected to be zero (they may hold anything), or does padding stand "
        "on the left of a text (it is promised to stand on the right)?",
        [
            (
                "    together = encode(ids, mask, types)\n",
                "    together = encode(ids, mask, types)\n"
                "    assert not together[mask == 0].any()\n",
            )
        ],
    ),
    Mistake(
        "near_only",
        "Encoders in which only neighbours see each other get through: take a text of eight "
        "words or more, change one word, and look at all vectors, also the far ones.",
        [("moved.all()", "moved[max(0, place - 1) : place + 2].all()")],
        points=3,
        section="“The plan” in chapter 6",
        equivalent=(
            [("draw_texts(9)\n    before", "draw_texts(3)\n    before"), ("(0, 8)", "(0, 2)")],
        ),
    ),
    Mistake(
        "no_arguments",
        "The test does not see that its arguments are changed: keep copies and compare afterwards.",
        _without("arguments"),
        points=3,
    ),
    Mistake(
        "no_copies",
        "Changed arguments are seen only where they lead to other results: ids that are "
        "overwritten at padding get through. Keep *clones*; a second name for the same tensor "
        "changes with it.",
        [("(tensor.clone() for tensor in batch)", "batch"), *_without("arguments")],
        points=3,
    ),
    Mistake(
        "ids_only",
        "Of the arguments only the ids are looked at afterwards. The mask and the segments "
        "must be as they were, too.",
        [("all(map(torch.equal, copies, batch))", "torch.equal(copies[0], batch[0])")],
        points=3,
    ),
    Mistake(
        "padding_repeated",
        "Two calls are compared in all rows, those of padding, too; they may hold anything, "
        "and something else each time. Which rows are promised to be the same?",
        [
            (
                "torch.equal(encode(*batch)[real], encode(*batch)[real])",
                "torch.equal(encode(*batch), encode(*batch))",
            )
        ],
    ),
    Mistake(
        "seeded",
        "An encoder with dropout alive gets through. If the same seed is set before each call, "
        "even what is drawn is the same twice: set it once, before the first call, or never.",
        [
            (
                "        return encode(*(tensor.clone() for tensor in batch))\n",
                "        torch.manual_seed(0)\n"
                "        return encode(*(tensor.clone() for tensor in batch))\n",
            )
        ],
    ),
    Mistake(
        "only_padding",
        "“Alone = in batch” is tested and nothing else. It does not need positions, nor "
        "segments, nor that tokens see each other.",
        _instead(_CALLS["padding"]),
    ),
    Mistake(
        "only_twice",
        "The test asks for the same result twice and nothing else; only chance is caught.",
        _instead(_CALLS["twice"]),
    ),
    Mistake(
        "only_order",
        "Only positions are tested.",
        _instead(_CALLS["order"]),
    ),
    Mistake(
        "only_segments",
        "Only segments are tested.",
        _instead(_CALLS["segments"]),
    ),
    Mistake(
        "only_arguments",
        "The test looks at its arguments and at nothing else; look at the result.",
        _instead(_CALLS["arguments"]),
    ),
    Mistake(
        "no_order_no_segments",
        "Neither positions nor segments are tested: change the order of the words, and change "
        "`token_type_ids`.",
        _without("order", "segments"),
    ),
    Mistake(
        "output_alone",
        "Whether tokens see each other is not tested, nor whether arguments are changed.",
        _without("context", "arguments"),
        points=3,
    ),
)
