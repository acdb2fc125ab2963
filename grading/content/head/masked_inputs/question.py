"""Exercise 5: questions for a masked language model, 80, 10 and 10 per cent."""

from __future__ import annotations

import torch

from grading.content.head.sections import WORDS
from grading.exercise import Case, Part, Question


def masked_inputs(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    masked = take & (action < 0.8)
    random = take & (action >= 0.8) & (action < 0.9)
    ids = torch.where(masked, mask_id, torch.where(random, random_ids, input_ids))
    labels = torch.where(take, input_ids, -100)
    return ids, labels


def _masked_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title,
        part,
        lengths,
        specials,
        rate=None,
        tokens=12,
        mask_id=103,
        often=True,
        shift=0,
        pad_id=0,
        left=False,
        dtype=torch.int64,
    ):
        shape = (len(lengths), tokens)
        ids = torch.randint(1000, 2000, shape, generator=generator)
        mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
        mask = mask.flip(1) if left else mask
        ids = torch.where(mask == 1, ids, pad_id)
        for row, length in enumerate(lengths):
            if length and specials:
                first = tokens - length if left else 0
                ids[row, first], ids[row, first + length - 1] = specials[0], specials[-1]
                for special in specials[1:-1]:
                    ids[row, first + length // 6 * 3] = special  # a place that is chosen
        if pad_id != 0:  # then 0 is a word, and one that is chosen
            ids[:, 3] = 0
            mask[-1, 4] = 0  # and padding may stand between words
        if mask_id != 103:
            ids[:, 6:8] = mask_id  # no special token: it may be chosen, and is
        used = 0.15 if rate is None else rate
        # Chosen and not chosen, each action among the chosen: every mistake finds its token.
        chosen = torch.rand(shape, generator=generator) * 0.9 + 0.1
        share = used * 0.9
        spots = (torch.arange(tokens) + shift) % 3 != 2
        chosen = torch.where(spots, chosen * share, used + chosen * (0.99 - used))
        cycle = torch.tensor([0.3, 0.85, 0.95, 0.05, 0.81, 0.5])
        numbers = torch.arange(tokens).expand(shape) + torch.arange(shape[0])[:, None]
        action = cycle[numbers * 2 % 6 + (numbers // 3) % 2]
        action = action + 0.004 * torch.rand(shape, generator=generator)
        if mask_id != 103:  # one becomes another word, one `[MASK]` again
            action[0, 6], action[0, 7] = 0.85, 0.3
        if rate is None and often:  # just above what it is then
            chosen = torch.where(spots, chosen, used + (chosen - used) * 0.05)
        if rate is not None:  # a number that is the rate is not below it, nor is 0.8 below 0.8
            chosen[:, 4], action[:, 5] = rate % 1, 0.8
            chosen[:, 5] = rate / 2
            chosen[:, 3] = action[:, 3] = 0.0
        if specials and not often:  # padding and specials are not drawn at all
            fixed = (mask == 0) | torch.isin(ids, torch.tensor(specials))
            chosen = torch.where(fixed, torch.full_like(chosen, 0.99), chosen)
        words = torch.randint(2000, 3000, shape, generator=generator)
        if len(specials) > 2:  # the random word may be any
            words[:] = specials[-1]
        arguments = [
            ("input_ids", ids.to(dtype)),
            ("attention_mask", mask),
            ("special_ids", specials),
            ("chosen", chosen),
            ("action", action),
            ("random_ids", words.to(dtype)),
            ("mask_id", mask_id),
        ]
        if rate is not None or part == "core":  # where it is left out is for the other part
            arguments.append(("rate", used))
        return Case(title, part, tuple(arguments))

    def in_a_row(first, *others):
        again = tuple(tuple(value for _, value in other.arguments) for other in others)
        return Case(first.title, first.part, first.arguments, again=again)

    def called_again(title, part, *specials):
        often = part != "core"
        return in_a_row(
            *(
                case(title, part, [14, 14], special, tokens=14, often=often, shift=shift)
                for shift, special in enumerate(specials)
            )
        )

    def nothing_real(title, part):
        lengths = ([0, 0], [0, 12])
        return in_a_row(*(case(title, part, each, [0], pad_id=1) for each in lengths))

    return [
        case("two texts", "core", [12, 12], [101, 102], often=False),
        case("a batch of one", "core", [15], [101, 102], tokens=15, often=False),
        called_again("called again", "core", [101, 102], [101, 102]),
        called_again("called again, other special tokens", "corner", [101, 102], [5, 6], [7, 8]),
        case("padding", "corner", [9, 12, 6], [101, 102]),
        case("padding on the left", "corner", [8, 13], [101, 102], tokens=13, left=True),
        case("`[MASK]` is special, too", "corner", [12, 10], [9, 2500, 0], mask_id=2500),
        case("padding has another id", "corner", [8, 12], [101, 102], pad_id=1),
        case("int32, `[MASK]` is 0", "corner", [12, 5], [101, 102], mask_id=0, dtype=torch.int32),
        nothing_real("one special token, 0, and texts that are all padding", "corner"),
        case("another rate", "corner", [12, 12], [101, 102], rate=0.375, often=False),
        case("a rate of 0", "corner", [12, 12], [101, 102], rate=0.0, often=False),
        case("another mask token, a rate of 1", "corner", [14, 14], [3, 2], 1.0, 14, mask_id=4),
    ]


def _masked_in_a_loop(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for b in range(ids.size(0)):
        for t in range(ids.size(1)):
            token = int(input_ids[b, t])
            if attention_mask[b, t] == 0 or token in special_ids or chosen[b, t] >= rate:
                continue
            labels[b, t] = token
            if action[b, t] < 0.8:
                ids[b, t] = mask_id
            elif action[b, t] < 0.9:
                ids[b, t] = random_ids[b, t]
    return ids, labels


def _masked_with_indexing(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    special = sum((input_ids == s for s in special_ids), torch.zeros_like(input_ids)).bool()
    take = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids.clone()
    labels[~take] = -100
    ids = input_ids.clone()
    ids[take & (action < 0.9)] = random_ids[take & (action < 0.9)]
    ids[take & (action < 0.8)] = mask_id
    return ids, labels


def _masked_with_fill(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    chosen = chosen.masked_fill(attention_mask == 0, 1.0)
    for token in special_ids:
        chosen = chosen.masked_fill(input_ids == token, 1.0)
    take = chosen < rate
    kind = torch.bucketize(action, torch.tensor([0.8, 0.9]), right=True)
    ids = input_ids.masked_fill(take & (kind == 0), mask_id)
    return [torch.where(take & (kind == 1), random_ids, ids), input_ids.masked_fill(~take, -100)]


QUESTION = Question(
    id="masked_inputs",
    title="Questions for a language model: 80, 10, 10",
    signature=(
        "masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, "
        "mask_id, rate=0.15)"
    ),
    reference=masked_inputs,
    cases=_masked_cases,
    parts=(
        Part("core", "inputs and labels", 2),
        Part("corner", "padding and special tokens; another rate, another mask token", 1),
    ),
    minutes=20,
    difficulty=2,
    section=WORDS,
    alternatives={
        "loop over tokens": _masked_in_a_loop,
        "indexing": _masked_with_indexing,
        "masked_fill and buckets": _masked_with_fill,
    },
)
