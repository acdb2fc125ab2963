"""The known mistakes of `masked_inputs`."""

from __future__ import annotations

import torch

from grading.content.common import changed_in_place, kept
from grading.exercise import Mistake


def _masked_as_a_collator(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    """Draws of its own, in the order of Hugging Face's collator for language models."""
    ids, labels = input_ids.clone(), input_ids.clone()
    special = torch.isin(ids, torch.tensor(special_ids)) | (attention_mask == 0)
    take = torch.full(ids.shape, rate).masked_fill(special, 0.0).bernoulli().bool()
    labels[~take] = -100
    masked = torch.full(ids.shape, 0.8).bernoulli().bool() & take
    ids[masked] = mask_id
    random = torch.full(ids.shape, 0.5).bernoulli().bool() & take & ~masked
    ids[random] = random_ids[random]
    return ids, labels


COMBINED = (
    "padding_chosen",
    "specials_chosen",
    "labels_of_specials",
    "all_masked",
    "no_keep",
    "kept_exchanged",
    "labels_if_changed",
    "labels_from_changed",
    "mask_103",
    "rate_fixed",
)

MISTAKES = (
    Mistake(
        "padding_chosen",
        "Padding is chosen, too; where the attention mask is 0, leave everything as it is.",
        [(" & attention_mask.bool()", "")],
        points=2,
    ),
    Mistake(
        "zero_is_padding",
        "The id 0 is taken for padding. Padding may have any id, and 0 may be a word: where "
        "the attention mask is 0, there is padding.",
        [("attention_mask.bool()", "(input_ids != 0)")],
        points=2,
    ),
    Mistake(
        "specials_chosen",
        "Special tokens such as [CLS] and [SEP] are chosen, too; they are never asked for.",
        [(" & ~special", "")],
        points=2,
    ),
    Mistake(
        "labels_of_padding",
        "Padding and special tokens are left as they are, but they get labels: what is never "
        "chosen has the label −100.",
        [("torch.where(take, input_ids, -100)", "torch.where(chosen < rate, input_ids, -100)")],
        points=2,
    ),
    Mistake(
        "labels_of_specials",
        "Special tokens are left as they are, but they get labels: what is never chosen has "
        "the label −100.",
        [
            (
                "torch.where(take, input_ids, -100)",
                "torch.where((chosen < rate) & attention_mask.bool(), input_ids, -100)",
            )
        ],
        points=2,
    ),
    Mistake(
        "specials_and_padding_changed",
        "Padding and special tokens have no label, as it should be, but their ids become "
        "[MASK] or random words. What is never chosen stays as it is.",
        [
            ("take & (action < 0.8)", "(chosen < rate) & (action < 0.8)"),
            ("take & (action >= 0.8)", "(chosen < rate) & (action >= 0.8)"),
        ],
        points=2,
    ),
    Mistake(
        "labels_of_pads",
        "Padding is left as it is, but it gets labels: what is never chosen has the label −100.",
        [
            (
                "torch.where(take, input_ids, -100)",
                "torch.where((chosen < rate) & ~special, input_ids, -100)",
            )
        ],
        points=2,
    ),
    Mistake(
        "first_special",
        "Not all of `special_ids` are left alone (only the first, the last, or two of them?), "
        "or only what stands at the beginning; no token may be chosen whose id is in "
        "`special_ids`, wherever it stands.",
        [("torch.tensor(special_ids)", "torch.tensor(special_ids[:1])")],
        other_forms=(
            [("torch.tensor(special_ids)", "torch.tensor(special_ids[-1:])")],
            [("torch.tensor(special_ids)", "torch.tensor(special_ids[:2])")],
            [("torch.tensor(special_ids)", "torch.tensor(special_ids[:1] + special_ids[-1:])")],
        ),
        points=2,
    ),
    Mistake(
        "mask_never_chosen",
        "A token that is [MASK] already is never chosen. Only padding and what `special_ids` "
        "holds are left alone.",
        [("torch.tensor(special_ids)", "torch.tensor([*special_ids, mask_id])")],
        points=2,
    ),
    Mistake(
        "mask_never_random",
        "A token that is [MASK] already never becomes the random word. It is chosen like a "
        "word, and `action` decides what becomes of it.",
        [("(action < 0.9)", "(action < 0.9) & (input_ids != mask_id)")],
        points=2,
    ),
    Mistake(
        "all_masked",
        "Every chosen token becomes [MASK]. Only 80% do: 10% become another word, 10% stay. "
        "(`chosen` cannot decide that, it is below the rate; use `action`.)",
        [("take & (action < 0.8)", "take")],
        equivalent=(
            [
                ("action < 0.8", "chosen < 0.8"),
                ("(action >= 0.8) & (action < 0.9)", "(chosen >= 0.8) & (chosen < 0.9)"),
            ],
        ),
    ),
    Mistake(
        "random_over_mask",
        "Nothing becomes [MASK]: the random words below 0.9 are written over it. Random words "
        "are for 0.8 to 0.9, or must come first.",
        [
            ("(action >= 0.8) & (action < 0.9)", "(action < 0.9)"),
            (
                "torch.where(masked, mask_id, torch.where(random, random_ids, input_ids))",
                "torch.where(random, random_ids, torch.where(masked, mask_id, input_ids))",
            ),
        ],
    ),
    Mistake(
        "random_everywhere",
        "Tokens that were not chosen become random words, too: `action` decides among the "
        "chosen ones only.",
        [("take & (action >= 0.8)", "(action >= 0.8)")],
        other_forms=([("take & (action >= 0.8)", "~masked")],),
    ),
    Mistake(
        "random_and_mask_everywhere",
        "Tokens that were not chosen become [MASK] or random words, too: `action` decides "
        "among the chosen ones only.",
        [
            ("take & (action < 0.8)", "action < 0.8"),
            ("take & (action >= 0.8)", "(action >= 0.8)"),
        ],
    ),
    Mistake(
        "no_random",
        "No token ever gets the random word: of the numbers that leave `[MASK]` out, none is "
        "below what you compare with. The random word belongs to those from 0.8 to below 0.9.",
        [("(action >= 0.8) & (action < 0.9)", "(action >= 0.8) & (action < 0.5)")],
    ),
    Mistake(
        "padding_zeroed",
        "The ids of padding become 0 (multiplied by `attention_mask`). Whatever is not chosen "
        "keeps its id.",
        [("return ids, labels", "return ids * attention_mask.to(ids.dtype), labels")],
        points=2,
    ),
    Mistake(
        "always_int64",
        "Ids or labels are of another dtype than `input_ids`. Make new tensors from it "
        "(`torch.where`, `full_like`).",
        [("return ids, labels", "return ids.long(), labels.long()")],
        other_forms=(
            [("return ids, labels", "return ids, labels.long()")],
            [("return ids, labels", "return ids.long(), labels")],
        ),
        points=2,
    ),
    Mistake(
        "no_keep",
        "Of the chosen tokens 20% become another word. It is 10%, and 10% stay as they are.",
        [(" & (action < 0.9)", "")],
    ),
    Mistake(
        "kept_exchanged",
        "The random word and the unchanged one are exchanged: from 0.8 to 0.9 comes another "
        "word, from 0.9 on the token stays.",
        [("(action >= 0.8) & (action < 0.9)", "(action >= 0.9)")],
    ),
    Mistake(
        "ten_eighty",
        "`action` below 0.1 gives [MASK] and up to 0.9 another word. [MASK] is for 80%, the "
        "numbers below 0.8.",
        [("action < 0.8", "action < 0.1"), ("action >= 0.8", "action >= 0.1")],
    ),
    Mistake(
        "eighty_of_rest",
        "The second share is taken of the remaining 20%, so only 2% become another word. The "
        "shares are of all chosen tokens: 80, 10 and 10 per cent.",
        [("action < 0.9", "action < 0.8 + 0.2 * 0.1")],
    ),
    Mistake(
        "rate_inverted",
        "The tokens with numbers above the rate are chosen: 85% instead of 15%.",
        [("chosen < rate", "chosen >= rate")],
    ),
    Mistake(
        "share_of_the_tokens",
        "Exactly the share `rate` of the tokens is chosen, those with the smallest numbers. "
        "Every token is chosen whose number is below `rate`, however many they are.",
        [
            (
                "take = (chosen < rate) & attention_mask.bool() & ~special",
                "free = attention_mask.bool() & ~special\n"
                "    rank = chosen.masked_fill(~free, 2.0).argsort(dim=1).argsort(dim=1)\n"
                "    take = rank < (rate * free.sum(dim=1, keepdim=True)).round()",
            )
        ],
        other_forms=(
            [  # of the whole batch, and rounded down
                (
                    "take = (chosen < rate) & attention_mask.bool() & ~special",
                    "free = attention_mask.bool() & ~special\n"
                    "    rank = chosen.masked_fill(~free, 2.0).flatten().argsort().argsort()\n"
                    "    take = (rank < int(rate * int(free.sum()))).view(chosen.shape)",
                )
            ],
        ),
    ),
    Mistake(
        "rate_or_default",
        "A `rate` of 0 is taken for none, as `rate or 0.15` does. It is a rate like any other, "
        "with which nothing is chosen; the default in the signature is enough.",
        [("    special = torch.isin", "    rate = rate or 0.15\n    special = torch.isin")],
        points=2,
    ),
    Mistake(
        "rate_included",
        "A token whose number equals the rate is chosen, too; only numbers *below* it are.",
        [("chosen < rate", "chosen <= rate")],
        points=2,
    ),
    Mistake(
        "eighty_included",
        "A number of exactly 0.8 gives [MASK]; only numbers *below* 0.8 do.",
        [("action < 0.8", "action <= 0.8"), ("action >= 0.8", "action > 0.8")],
        points=2,
    ),
    Mistake(
        "borders_included",
        "Numbers exactly on a border fall on the wrong side: `<=` stands where `<` should. A "
        "token is chosen *below* `rate`, and becomes [MASK] *below* 0.8.",
        [
            ("chosen < rate", "chosen <= rate"),
            ("action < 0.8", "action <= 0.8"),
            ("(action >= 0.8) & (action < 0.9)", "(action > 0.8) & (action <= 0.9)"),
        ],
        points=2,
    ),
    Mistake(
        "only_right",
        "The mask only counts the tokens, as if all padding stood on the right. Padding is "
        "wherever the mask is 0: look at each place's own entry.",
        [
            (
                "attention_mask.bool()",
                "(torch.arange(input_ids.size(1)) < attention_mask.sum(1, keepdim=True))",
            )
        ],
        points=2,
    ),
    Mistake(
        "draws_again",
        "New random numbers are drawn, and `chosen` is not used: no check could then say which "
        "tokens are right.",
        [("chosen < rate", "torch.rand(chosen.shape) < rate")],
        other_forms=(_masked_as_a_collator,),
    ),
    Mistake(
        "shares_of_the_rate",
        "The shares are taken from `chosen` (0.8 · rate, 0.9 · rate), and `action` is not used.",
        [
            ("action < 0.8", "chosen < 0.8 * rate"),
            (
                "(action >= 0.8) & (action < 0.9)",
                "(chosen >= 0.8 * rate) & (chosen < 0.9 * rate)",
            ),
        ],
    ),
    Mistake(
        "eighty_stay",
        "80% of the chosen tokens stay, and the numbers from 0.9 on become [MASK]. It is the "
        "other way round: below 0.8 [MASK], from 0.9 on the token stays.",
        [("action < 0.8", "action >= 0.9")],
    ),
    Mistake(
        "random_first",
        "The random words are at the wrong end: an `action` below 0.1 gives one, and [MASK] "
        "comes after it. Below 0.8 is [MASK], from 0.8 to 0.9 the random word.",
        [
            ("(action < 0.8)", "(action >= 0.1) & (action < 0.9)"),
            ("(action >= 0.8) & (action < 0.9)", "(action < 0.1)"),
        ],
    ),
    Mistake(
        "mask_last",
        "[MASK] is at the wrong end: an `action` from 0.2 on gives it. Below 0.8 is [MASK], "
        "from 0.8 to 0.9 the random word, and from 0.9 on the token stays.",
        [
            ("action < 0.8", "action >= 0.2"),
            ("(action >= 0.8) & (action < 0.9)", "(action >= 0.1) & (action < 0.2)"),
        ],
    ),
    Mistake(
        "padding_only",
        "Only padding is chosen: the attention mask is used the wrong way round.",
        [("attention_mask.bool()", "~attention_mask.bool()")],
    ),
    Mistake(
        "specials_only",
        "Only special tokens are chosen: a `~` is missing, or is one too many.",
        [("& ~special", "& special")],
    ),
    Mistake(
        "kept_masked",
        "The chosen tokens that should stay as they are become [MASK], too. From 0.9 on the "
        "token stays.",
        [("take & (action < 0.8)", "take & ((action < 0.8) | (action >= 0.9))")],
    ),
    Mistake(
        "rate_of_action",
        "`rate` is compared with `action`; a token is chosen if its number in `chosen` is "
        "below `rate`, and `action` decides what becomes of it.",
        [("(chosen < rate)", "(action < rate)")],
    ),
    Mistake(
        "random_from_the_front",
        "The random words are taken one after the other from the front of `random_ids`; each "
        "place has its own.",
        [
            (
                "torch.where(random, random_ids, input_ids)",
                "input_ids.masked_scatter(random, random_ids)",
            )
        ],
    ),
    kept(
        [
            ("rate=0.15\n):", "rate=0.15, kept={}\n):"),
            ("    labels =", "    take = kept.setdefault(take.shape, take)\n    labels ="),
        ],
    ),
    Mistake(
        "first_and_last_place",
        "The first and the last place of each row are left alone, whatever stands there; a "
        "special token is known by its id.",
        [
            (
                "torch.isin(input_ids, torch.tensor(special_ids))",
                "torch.zeros_like(input_ids, dtype=torch.bool)\n"
                "    special[:, 0] = special[:, -1] = True",
            )
        ],
        points=2,
    ),
    Mistake(
        "specials_of_bert",
        "101 and 102 are written into the code for the special tokens. They are BERT's; use "
        "`special_ids`.",
        [
            (
                "torch.isin(input_ids, torch.tensor(special_ids))",
                "(input_ids == 101) | (input_ids == 102)",
            )
        ],
        points=2,
    ),
    Mistake(
        "padding_label_zero",
        "Padding has the label 0, as if 0 were the answer there. It is −100 wherever nothing "
        "was chosen.",
        [("return ids, labels", "return ids, labels * attention_mask")],
        points=2,
    ),
    Mistake(
        "zero_has_no_label",
        "A chosen token whose id is 0 has no label: −100 was written over every 0. Write it "
        "where nothing was chosen.",
        [("torch.where(take, input_ids", "torch.where(take & (input_ids != 0), input_ids")],
        points=2,
    ),
    Mistake(
        "labels_minus_one",
        "Tokens without a question have label −1, which no loss leaves out unless it is told "
        "to. Use −100.",
        [("input_ids, -100", "input_ids, -1")],
    ),
    Mistake(
        "labels_if_changed",
        "A chosen token that stays as it is has no label. It has one: the model must answer "
        "for it, too.",
        [("torch.where(take,", "torch.where(masked | random,")],
    ),
    Mistake(
        "labels_if_masked",
        "Only tokens that became [MASK] have a label. All chosen tokens have one.",
        [("torch.where(take,", "torch.where(masked,")],
    ),
    Mistake(
        "labels_inverted",
        "The labels are the wrong way round: −100 belongs where nothing was chosen.",
        [("torch.where(take,", "torch.where(~take,")],
    ),
    Mistake(
        "labels_everywhere",
        "Every token has a label. Those that were not chosen get −100, so that no loss "
        "counts them.",
        [("torch.where(take, input_ids, -100)", "input_ids.clone()")],
    ),
    Mistake(
        "labels_from_changed",
        "The labels are taken from the changed tokens: the answer to [MASK] is then [MASK]. "
        "They are the original ones.",
        [("input_ids, -100", "ids, -100")],
    ),
    Mistake(
        "labels_zero",
        "Tokens without a question have label 0, which is a word. Use −100.",
        [("input_ids, -100", "input_ids, 0")],
    ),
    Mistake(
        "mask_103",
        "103 is written into the code. It is BERT's; use `mask_id`.",
        [("masked, mask_id", "masked, 103")],
        points=2,
    ),
    Mistake(
        "rate_fixed",
        "0.15 is written into the code; use `rate`.",
        [("chosen < rate", "chosen < 0.15")],
        points=2,
    ),
    changed_in_place(
        "input_ids",
        [("return ids, labels", "input_ids.copy_(ids)\n    return input_ids, labels")],
        id="in_place",
    ),
    Mistake(
        "exchanged_results",
        "Inputs and labels come back in the wrong order.",
        [("return ids, labels", "return labels, ids")],
    ),
)
