"""Variants of the exercises of assignment 2."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    "The function below returns the right shape, trains, and its loss goes down. It has **three "
    "bugs**. Each is known from code that people published and others used.",
    "The function below runs, and returns the right shape. It has **three bugs**.",
)
_NUMBER = (
    "is it a query, a key or a value according to the table of exercise 1, and what does the code "
    "take it for?",
    "of which head is it the query according to the table of exercise 1, and which of its numbers? "
    "And in the code?",
)

VARIANTS = {
    "repaired_heads": (
        Variant(
            bugs={
                "added_mask": "the mask is added to the scores as ones and zeros, so padding is "
                "hardly hidden",
                "split_interleaved": "the numbers are cut into heads as [head_size, heads], so "
                "head 0 gets numbers 0, heads, 2·heads …, but those of a head lie next to each "
                "other",
                "still_merged": "the heads are put together with `reshape` straight from [batch, "
                "heads, tokens, head_size], which mixes tokens: exchange heads and tokens back "
                "first",
            },
            points={"still_by_head": 2},
            text=[
                _TEXT,
                _NUMBER,
                (
                    "what does True say, to the one who made the mask and to the one who reads it?",
                    "what does the mask hold, and what does the one who reads it do with that?",
                ),
            ],
        ),
        Variant(
            bugs={
                "mask_at_queries": "the mask is laid over the queries, [batch, 1, tokens, 1], but "
                "it belongs to the keys",
                "roles_exchanged": "query and key are exchanged: the first third of the rows are "
                "queries, the second keys",
                "merged_interleaved": "the heads are put together as [head_size, heads], so that "
                "W_O reads numbers of all heads in turn",
            },
            points={"still_by_head": 2, "still_merged": 2},
            text=[
                _TEXT,
                (
                    "With one head, two of the bugs disappear. Which is left? And with one token, "
                    "which?",
                    "With one head, one of the bugs disappears. Which? And which are left with one "
                    "token?",
                ),
                (
                    "what does True say, to the one who made the mask and to the one who reads it?",
                    "on which axis of the scores does the mask lie, and what does that axis count?",
                ),
            ],
        ),
    ),
}
