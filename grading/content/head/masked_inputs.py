"""Questions for a language model: 80, 10, 10."""

from __future__ import annotations

import torch

from grading.content.head.sections import WORDS
from grading.content.head.shared import NONE
from grading.exercise import Case, Exercise, Mistake, Part


def _masked_inputs(mistakes: frozenset[str] = NONE):
    def masked_inputs(
        input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
    ):
        if "rate_fixed" in mistakes:
            rate = 0.15
        if "draws_again" in mistakes:
            chosen = torch.rand(chosen.shape)
        take = chosen <= rate if "rate_included" in mistakes else chosen < rate
        if "rate_inverted" in mistakes:
            take = chosen >= rate
        if "padding_only" in mistakes:
            take = take & ~attention_mask.bool()
        elif "padding_chosen" not in mistakes:
            take = take & attention_mask.bool()
        special = torch.isin(input_ids, torch.tensor(special_ids))
        if "specials_of_bert" in mistakes:
            special = (input_ids == 101) | (input_ids == 102)
        if "specials_only" in mistakes:
            take = take & special
        elif "specials_chosen" not in mistakes:
            take = take & ~special
        if "mask_103" in mistakes:
            mask_id = 103
        draw = chosen if "same_draw" in mistakes else action
        low, high = (0.1, 0.9) if "ten_eighty" in mistakes else (0.8, 0.9)
        if "eighty_of_rest" in mistakes:  # the second ten per cent taken from the remaining two
            high = 0.8 + 0.2 * 0.1
        if "all_masked" in mistakes:
            low = high = 2.0
        if "no_keep" in mistakes:
            high = 2.0
        if "shares_of_the_rate" in mistakes:
            draw, low, high = chosen, 0.8 * rate, 0.9 * rate
        replaced = take & (draw < low)
        other = take & (draw >= low) & (draw < high)
        if "eighty_included" in mistakes:
            replaced, other = take & (draw <= low), take & (draw > low) & (draw < high)
        if "eighty_stay" in mistakes:
            replaced = take & (draw >= high)
        if "random_first" in mistakes:
            replaced, other = take & (draw >= 0.1) & (draw < 0.9), take & (draw < 0.1)
        if "mask_last" in mistakes:
            replaced, other = take & (draw >= 0.2), take & (draw >= 0.1) & (draw < 0.2)
        if "kept_exchanged" in mistakes:
            other = take & (draw >= high)
        if "random_over_mask" in mistakes:
            replaced, other = torch.zeros_like(take), take & (draw < high)
        if "random_everywhere" in mistakes:
            other = (draw >= low) & (draw < high)
        if "random_and_mask_everywhere" in mistakes:
            replaced, other = draw < low, (draw >= low) & (draw < high)
        changed = torch.where(replaced, mask_id, torch.where(other, random_ids, input_ids))
        counted = take
        if "labels_if_changed" in mistakes:
            counted = replaced | other
        if "labels_if_masked" in mistakes:
            counted = replaced
        if "labels_inverted" in mistakes:
            counted = ~counted
        if "labels_everywhere" in mistakes:
            counted = torch.ones_like(take)
        answer = changed if "labels_from_changed" in mistakes else input_ids
        labels = torch.where(counted, answer, 0 if "labels_zero" in mistakes else -100)
        if "padding_label_zero" in mistakes:
            labels = labels * attention_mask
        return changed, labels

    return masked_inputs


def _masked_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, lengths, specials, rate=None, tokens=12, mask_id=103, often=True):
        shape = (len(lengths), tokens)
        ids = torch.randint(1000, 2000, shape, generator=generator)
        mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
        ids = torch.where(mask == 1, ids, 0)
        for row, length in enumerate(lengths):
            if length and specials:
                ids[row, 0], ids[row, length - 1] = specials[0], specials[-1]
        used = 0.15 if rate is None else rate
        # Chosen and not chosen, each action among the chosen: every mistake finds its token.
        chosen = torch.rand(shape, generator=generator) * 0.9 + 0.1
        share = used * 0.9
        spots = torch.arange(tokens) % 3 != 2
        chosen = torch.where(spots, chosen * share, used + chosen * (0.99 - used))
        cycle = torch.tensor([0.3, 0.85, 0.95, 0.05, 0.81, 0.5])
        numbers = torch.arange(tokens).expand(shape) + torch.arange(shape[0])[:, None]
        action = cycle[numbers * 2 % 6 + (numbers // 3) % 2]
        action = action + 0.004 * torch.rand(shape, generator=generator)
        if rate is not None:  # a number that is the rate is not below it, nor is 0.8 below 0.8
            chosen[:, 4], action[:, 5] = rate, 0.8
            chosen[:, 5] = rate / 2
        if specials and not often:  # padding and specials are not drawn at all
            fixed = (mask == 0) | torch.isin(ids, torch.tensor(specials))
            chosen = torch.where(fixed, torch.full_like(chosen, 0.99), chosen)
        arguments = [
            ("input_ids", ids),
            ("attention_mask", mask),
            ("special_ids", specials),
            ("chosen", chosen),
            ("action", action),
            ("random_ids", torch.randint(2000, 3000, shape, generator=generator)),
            ("mask_id", mask_id),
        ]
        if rate is not None:
            arguments.append(("rate", rate))
        return Case(title, part, tuple(arguments))

    return [
        case("two texts", "core", [12, 12], [101, 102], often=False),
        case("a batch of one", "core", [15], [101, 102], tokens=15, often=False),
        case("padding", "corner", [9, 12, 6], [101, 102]),
        case("other special tokens", "corner", [12, 7], [5, 7, 9]),
        case("a text that is all padding", "corner", [0, 12], [101, 102]),
        case("another rate", "corner", [12, 12], [101, 102], rate=0.375, often=False),
        case("another mask token", "corner", [14, 14], [3, 2], mask_id=4, tokens=14, often=False),
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


def _in_place(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    ids, labels = _masked_inputs()(
        input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate
    )
    input_ids.copy_(ids)
    return input_ids, labels


EXERCISE = Exercise(
    id="masked_inputs",
    title="Questions for a language model: 80, 10, 10",
    signature=(
        "masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, "
        "mask_id, rate=0.15)"
    ),
    reference=_masked_inputs(),
    variant=_masked_inputs,
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
    mistakes=(
        Mistake(
            "padding_chosen",
            "Padding is chosen, too; where the attention mask is 0, leave everything as it is.",
            points=2,
        ),
        Mistake(
            "specials_chosen",
            "Special tokens such as [CLS] and [SEP] are chosen, too; they are never asked for.",
            points=2,
        ),
        Mistake(
            "first_special",
            "Only the first of `special_ids` is left alone, or only what stands at the beginning; "
            "no token may be chosen whose id is in `special_ids`, wherever it stands.",
            lambda ids, mask, specials, *rest: _masked_inputs()(ids, mask, specials[:1], *rest),
            points=2,
        ),
        Mistake(
            "all_masked",
            "Every chosen token becomes [MASK]. Only 80% do: 10% become another word, 10% stay. "
            "(`chosen` cannot decide that, it is below the rate; use `action`.)",
            equivalent=(_masked_inputs(frozenset({"same_draw"})),),
        ),
        Mistake(
            "random_over_mask",
            "Nothing becomes [MASK]: the random words below 0.9 are written over it. Random words "
            "are for 0.8 to 0.9, or must come first.",
            mutation=_masked_inputs(frozenset({"random_over_mask"})),
        ),
        Mistake(
            "random_everywhere",
            "Tokens that were not chosen become random words, too: `action` decides among the "
            "chosen ones only.",
            mutation=_masked_inputs(frozenset({"random_everywhere"})),
        ),
        Mistake(
            "random_and_mask_everywhere",
            "Tokens that were not chosen become [MASK] or random words, too: `action` decides "
            "among the chosen ones only.",
            mutation=_masked_inputs(frozenset({"random_and_mask_everywhere"})),
        ),
        Mistake(
            "no_keep",
            "Of the chosen tokens 20% become another word. It is 10%, and 10% stay as they are.",
        ),
        Mistake(
            "kept_exchanged",
            "The random word and the unchanged one are exchanged: from 0.8 to 0.9 comes another "
            "word, from 0.9 on the token stays.",
        ),
        Mistake(
            "ten_eighty",
            "`action` below 0.1 gives [MASK] and up to 0.9 another word. [MASK] is for 80%, the "
            "numbers below 0.8.",
            mutation=_masked_inputs(frozenset({"ten_eighty"})),
        ),
        Mistake(
            "eighty_of_rest",
            "The second share is taken of the remaining 20%, so only 2% become another word. The "
            "shares are of all chosen tokens: 80, 10 and 10 per cent.",
            mutation=_masked_inputs(frozenset({"eighty_of_rest"})),
        ),
        Mistake(
            "rate_inverted",
            "The tokens with numbers above the rate are chosen: 85% instead of 15%.",
            mutation=_masked_inputs(frozenset({"rate_inverted"})),
        ),
        Mistake(
            "rate_included",
            "A token whose number equals the rate is chosen, too; only numbers *below* it are.",
            points=2,
            mutation=_masked_inputs(frozenset({"rate_included"})),
        ),
        Mistake(
            "eighty_included",
            "A number of exactly 0.8 gives [MASK]; only numbers *below* 0.8 do.",
            points=2,
            mutation=_masked_inputs(frozenset({"eighty_included"})),
        ),
        Mistake(
            "draws_again",
            "New random numbers are drawn, and `chosen` is not used: no check could then say which "
            "tokens are right.",
            mutation=_masked_inputs(frozenset({"draws_again"})),
        ),
        Mistake(
            "shares_of_the_rate",
            "The shares are taken from `chosen` (0.8 · rate, 0.9 · rate), and `action` is not "
            "used.",
            mutation=_masked_inputs(frozenset({"shares_of_the_rate"})),
        ),
        Mistake(
            "eighty_stay",
            "80% of the chosen tokens stay, and the numbers from 0.9 on become [MASK]. It is the "
            "other way round: below 0.8 [MASK], from 0.9 on the token stays.",
            mutation=_masked_inputs(frozenset({"eighty_stay"})),
        ),
        Mistake(
            "random_first",
            "The random words are at the wrong end: an `action` below 0.1 gives one, and [MASK] "
            "comes after it. Below 0.8 is [MASK], from 0.8 to 0.9 the random word.",
            mutation=_masked_inputs(frozenset({"random_first"})),
        ),
        Mistake(
            "mask_last",
            "[MASK] is at the wrong end: an `action` from 0.2 on gives it. Below 0.8 is [MASK], "
            "from 0.8 to 0.9 the random word, and from 0.9 on the token stays.",
            mutation=_masked_inputs(frozenset({"mask_last"})),
        ),
        Mistake(
            "padding_only",
            "Only padding is chosen: the attention mask is used the wrong way round.",
            mutation=_masked_inputs(frozenset({"padding_only"})),
        ),
        Mistake(
            "specials_only",
            "Only special tokens are chosen: a `~` is missing, or is one too many.",
            mutation=_masked_inputs(frozenset({"specials_only"})),
        ),
        Mistake(
            "specials_of_bert",
            "101 and 102 are written into the code for the special tokens. They are BERT's; use "
            "`special_ids`.",
            points=2,
            mutation=_masked_inputs(frozenset({"specials_of_bert"})),
        ),
        Mistake(
            "padding_label_zero",
            "Padding has the label 0, as if 0 were the answer there. It is −100 wherever nothing "
            "was chosen.",
            points=2,
            mutation=_masked_inputs(frozenset({"padding_label_zero"})),
        ),
        Mistake(
            "labels_minus_one",
            "Tokens without a question have label −1, which no loss leaves out unless it is told "
            "to. Use −100.",
            lambda *arguments: tuple(
                value.masked_fill(value == -100, -1) for value in _masked_inputs()(*arguments)
            ),
        ),
        Mistake(
            "labels_if_changed",
            "A chosen token that stays as it is has no label. It has one: the model must answer "
            "for it, too.",
        ),
        Mistake(
            "labels_if_masked",
            "Only tokens that became [MASK] have a label. All chosen tokens have one.",
            mutation=_masked_inputs(frozenset({"labels_if_masked"})),
        ),
        Mistake(
            "labels_inverted",
            "The labels are the wrong way round: −100 belongs where nothing was chosen.",
            mutation=_masked_inputs(frozenset({"labels_inverted"})),
        ),
        Mistake(
            "labels_everywhere",
            "Every token has a label. Those that were not chosen get −100, so that no loss "
            "counts them.",
            mutation=_masked_inputs(frozenset({"labels_everywhere"})),
        ),
        Mistake(
            "labels_from_changed",
            "The labels are taken from the changed tokens: the answer to [MASK] is then [MASK]. "
            "They are the original ones.",
        ),
        Mistake(
            "labels_zero",
            "Tokens without a question have label 0, which is a word. Use −100.",
            mutation=_masked_inputs(frozenset({"labels_zero"})),
        ),
        Mistake(
            "mask_103",
            "103 is written into the code. It is BERT's; use `mask_id`.",
            points=2,
        ),
        Mistake(
            "rate_fixed",
            "0.15 is written into the code; use `rate`.",
            points=2,
        ),
        Mistake(
            "in_place",
            "The result is right, but the given `input_ids` were changed. Work on a copy.",
            _in_place,
        ),
        Mistake(
            "exchanged_results",
            "Inputs and labels come back in the wrong order.",
            lambda *arguments: _masked_inputs()(*arguments)[::-1],
        ),
    ),
)
