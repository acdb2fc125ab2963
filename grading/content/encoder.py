"""Assignment 6, the encoder: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Numbers of layers, heads and tokens differ from each other; weights, biases, gains and eps are drawn
so that each of them shows. Encoders are tiny, but every size is another one.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from itertools import combinations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content import encoder_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part

ASSIGNMENT = "06_encoder"

_PADDING = "“Padding and the attention mask” in chapter 6"
_EMBEDDINGS = "“Step 1: the embeddings” in chapter 6"
_TYPES = "“What a token type changes” in chapter 6"
_STACK = "“Step 3: the stack” in chapter 6"
_REBUILT = "“The real BERT, rebuilt” in chapter 6"
_ON_ITS_WAY = "“The mask on its way down” in chapter 6"
_NOT_ARRIVED = "“When the mask does not arrive” in chapter 6"
_LEFT = "“Padding on the left” in chapter 6"
_ORDER = "“Order enters through one door” in chapter 6"
_PEER = "“PyTorch's own encoder” in chapter 6"
_TRAPS = "“Five traps” in chapter 6"
_COMMON = "“Common mistakes” in chapter 6"

Made = frozenset[str]  # the identifiers of the mistakes that an implementation makes
NONE: Made = frozenset()


def _normal(generator: torch.Generator, *shape: int, size: float = 1.0) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


def _one_of(generator: torch.Generator, *choices):
    return choices[int(torch.randint(len(choices), (), generator=generator))]


def _different(generator: torch.Generator, count: int, low: int) -> list[int]:
    """Draw pairwise different sizes from ``low`` on."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()


def _lengths(generator: torch.Generator, batch: int, tokens: int) -> Tensor:
    """Draw lengths that differ from each other; all leave room for padding."""
    return torch.randperm(tokens - 1, generator=generator)[:batch] + 1


# ---- Exercise 1: additive_mask -----------------------------------------------------------------


def _real_places(lengths: Tensor, tokens: int, left: bool) -> Tensor:
    places = torch.arange(tokens)
    return places >= tokens - lengths[:, None] if left else places < lengths[:, None]


def _masks(made: Made = NONE) -> Callable:
    def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
        if "longest" in made:
            tokens = int(lengths.max())
        counted = lengths + int("one_more" in made) - int("one_less" in made)
        if "first_length" in made:
            counted = counted[:1].expand_as(lengths)
        real = _real_places(counted, tokens, left and "left_ignored" not in made)
        if made & {"left_one_more", "left_one_less"} and left:
            real = _real_places(lengths + 1 - 2 * int("left_one_less" in made), tokens, left)
        if "left_is_not_right" in made and left:
            real = ~_real_places(counted, tokens, left=False)
        if "inverted" in made:
            real = ~real
        keep = real[:, None, :, None] if "query_axis" in made else real[:, None, None, :]
        kinds = torch.float32 if "dtype_ignored" in made else dtype
        hidden = -math.inf if "infinity" in made else torch.finfo(kinds).min
        if "ten_thousand" in made:
            hidden = -1e4
        if "billion" in made:
            hidden = -1e9
        if "tiny" in made:
            hidden = torch.finfo(kinds).tiny
        if "positive" in made:
            hidden = torch.finfo(kinds).max
        if allowed is not None and "allowed_ignored" not in made:
            pairs = ~allowed if "allowed_inverted" in made else allowed
            if "allowed_alone" in made:
                keep = pairs.expand(len(lengths), 1, *pairs.shape)
            elif "either" in made:
                keep = keep | pairs
            elif "summed" in made:
                zeros = torch.zeros((), dtype=kinds)
                return zeros.masked_fill(~keep, hidden) + zeros.masked_fill(~pairs, hidden)
            else:
                keep = keep & pairs
        return torch.zeros(keep.shape, dtype=kinds).masked_fill(~keep, hidden)

    return additive_mask


_right_mask = _masks()


def _mask_cases(generator: torch.Generator) -> list[Case]:
    def square(tokens: int) -> Tensor:
        """Draw who may look at whom; every query may look at itself, no matrix is symmetric."""
        allowed = torch.rand(tokens, tokens, generator=generator) < 0.5
        allowed[0, 1], allowed[1, 0] = True, False
        return allowed | torch.eye(tokens, dtype=torch.bool)

    def window(queries: int, tokens: int) -> Tensor:
        allowed = torch.rand(queries, tokens, generator=generator) < 0.5
        allowed[:, -1], allowed[0, 0], allowed[-1, 0] = False, True, False
        return allowed

    def case(title, part, lengths, tokens, *more):
        names = ("dtype", "allowed", "left")[: len(more)]
        arguments = (("lengths", lengths), ("tokens", tokens), *zip(names, more, strict=True))
        return Case(title, part, arguments, driver=drivers.with_dtype if more else None)

    batch, tokens = 3, _one_of(generator, 5, 6, 7)
    queries = tokens + _one_of(generator, -2, 2)
    short = _lengths(generator, batch, tokens)
    half = _one_of(generator, "float16", "bfloat16")
    full_and_empty = torch.tensor([tokens, 0, 2])
    return [
        case("three texts", "core", short, tokens),
        case("more tokens than the longest text has", "core", short.clamp(max=3), tokens),
        case("a batch of one", "core", short[:1], tokens),
        case("no padding at all, and nothing but padding", "core", full_and_empty, tokens),
        case(
            "with `allowed`",
            "combined",
            _lengths(generator, batch, tokens),
            tokens,
            "float32",
            square(tokens),
        ),
        case(
            "with `allowed` for fewer queries, or more, than tokens",
            "combined",
            _lengths(generator, 2, tokens),
            tokens,
            "float32",
            window(queries, tokens),
        ),
        case("padding on the left", "combined", short, tokens, "float32", None, True),
        case(half, "dtype", short, tokens, half),
        case("float64", "dtype", short, tokens, "float64"),
        case(
            "float16, with `allowed`, padding on the left",
            "dtype",
            short,
            tokens,
            "float16",
            square(tokens),
            True,
        ),
    ]


def _mask_by_loop(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    low = torch.finfo(dtype).min
    queries = 1 if allowed is None else len(allowed)
    mask = torch.zeros(len(lengths), 1, queries, tokens, dtype=dtype)
    for b, length in enumerate(lengths.tolist()):
        for q in range(queries):
            for k in range(tokens):
                real = k >= tokens - length if left else k < length
                if not real or (allowed is not None and not allowed[q][k]):
                    mask[b, 0, q, k] = low
    return mask


def _mask_by_slices(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    rows = []
    for length in lengths:
        row = torch.full((1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
        row[..., tokens - int(length) :] = 0
        rows.append(row if left else row.flip(-1))
    mask = torch.stack(rows)
    if allowed is not None:
        pairs = torch.where(allowed, 0.0, -math.inf).to(dtype)
        mask = (mask + pairs).clamp(min=torch.finfo(dtype).min)
    return mask


def _mask_by_product(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = torch.arange(tokens).expand(lengths.numel(), -1).lt(lengths.view(-1, 1))
    real = real.flip(1) if left else real
    mask = (1.0 - real.to(dtype))[:, None, None] * torch.finfo(dtype).min
    if allowed is None:
        return mask
    return torch.minimum(mask, (1.0 - allowed.to(dtype)) * torch.finfo(dtype).min)


def _mask_by_where(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    number = torch.arange(tokens, 0, -1) if left else torch.arange(1, tokens + 1)
    keep = torch.einsum("bk->bk", (number[None] <= lengths[:, None]).long())[:, None, None]
    if allowed is not None:
        keep = keep * allowed.long()
    low = torch.tensor(torch.finfo(dtype).min, dtype=dtype)
    return torch.where(keep > 0, torch.tensor(0.0, dtype=dtype), low)


def _after_mask(change: Callable[[Tensor], object]) -> Callable:
    """The right mask, and what is done to it afterwards."""
    return lambda *arguments: change(_right_mask(*arguments))


def _allowed_turned(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    turned = allowed if allowed is None else allowed.T
    return _right_mask(lengths, tokens, dtype, turned, left)


def _allowed_square_only(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    square = allowed if allowed is None else allowed.view(tokens, tokens)
    return _right_mask(lengths, tokens, dtype, square, left)


def _full_square(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    if allowed is None:
        allowed = torch.ones(tokens, tokens, dtype=torch.bool)
    return _right_mask(lengths, tokens, dtype, allowed, left)


def _rounded_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    return _right_mask(lengths, tokens, torch.float32, allowed, left).to(dtype)


def _minimum_of_float16(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    return _right_mask(lengths, tokens, torch.float16, allowed, left).to(dtype)


def _changed_allowed(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    if allowed is None:
        return _right_mask(lengths, tokens, dtype, allowed, left)
    real = _real_places(lengths, tokens, left)
    keep = torch.stack([allowed & row for row in real])[:, None]
    allowed &= real.all(dim=0)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)


def _changed_lengths(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    mask = _right_mask(lengths, tokens, dtype, allowed, left)
    lengths -= tokens
    return mask


def _negative_slices(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    whole = lengths.masked_fill(lengths == 0, tokens)  # row[-0:] is the whole row
    return _right_mask(whole, tokens, dtype, allowed, left)


def _all_flipped(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    mask = _right_mask(lengths, tokens, dtype, allowed)
    return mask.flip(-1) if left else mask


def _not_a_number(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    return (_right_mask(lengths, tokens, dtype, allowed, left) != 0).to(dtype) * -math.inf


def _causal_anyway(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    if allowed is None:
        allowed = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    return _right_mask(lengths, tokens, dtype, allowed, left)


def _queries_hidden_too(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = _real_places(lengths, tokens, left)
    keep = real[:, None, None, :] & real[:, None, :, None]
    if allowed is not None:
        keep = keep & allowed
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)


ADDITIVE_MASK = Exercise(
    id="additive_mask",
    title="A mask that is added",
    signature="additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False)",
    reference=_right_mask,
    cases=_mask_cases,
    parts=(
        Part("core", "the mask of a padded batch", 2),
        Part("combined", "with a second mask; padding on the left", 1),
        Part("dtype", "half and double precision", 1),
    ),
    minutes=15,
    difficulty=1,
    section=_ON_ITS_WAY,
    variant=_masks,
    alternatives={
        "loop": _mask_by_loop,
        "slices and a clamp": _mask_by_slices,
        "products and a minimum": _mask_by_product,
        "counted from 1": _mask_by_where,
    },
    mistakes=(
        Mistake(
            "query_axis",
            "The mask lies on the query axis, [batch, 1, tokens, 1]: that forbids padding to look, "
            "not to be looked at. The keys are the last axis.",
            section=_NOT_ARRIVED,
            alone=True,
        ),
        Mistake(
            "inverted",
            "Real tokens and padding are exchanged: the real tokens are hidden. They get 0, "
            "padding gets the lowest number.",
        ),
        Mistake(
            "one_more",
            "One token of padding after each text is still seen (`<=`). A text of length n has the "
            "places 0 to n − 1.",
        ),
        Mistake(
            "one_less",
            "The last real token of each text is hidden. A text of length n has the places 0 to "
            "n − 1.",
            alone=True,
        ),
        Mistake(
            "infinity",
            "Hidden keys get −∞. Here they are to get the lowest finite number of the dtype, "
            "`torch.finfo(dtype).min`: a row of nothing but −∞ gives NaN in a softmax.",
            alone=True,
        ),
        Mistake(
            "billion",
            "Hidden keys get −1e9; the statement asks for `torch.finfo(dtype).min`. In float16 "
            "−1e9 does not even exist: its lowest number is −65504.",
            _masks(frozenset({"billion"})),
        ),
        Mistake(
            "ten_thousand",
            "Hidden keys get −10000; the statement asks for `torch.finfo(dtype).min`. Scores as "
            "low as −10000 do occur, and then padding leaks.",
            _masks(frozenset({"ten_thousand"})),
        ),
        Mistake(
            "tiny",
            "Hidden keys get `torch.finfo(dtype).tiny`, the smallest *positive* number, nearly 0, "
            "so nothing is hidden. The lowest number is `.min`.",
            _masks(frozenset({"tiny"})),
        ),
        Mistake(
            "positive",
            "Hidden keys get the largest number; it is added to their scores, so they take all. "
            "The lowest number is `torch.finfo(dtype).min`.",
            _masks(frozenset({"positive"})),
        ),
        Mistake(
            "first_length",
            "Every text is masked by the length of the first one; broadcast `lengths[:, None]` "
            "against the places.",
            _masks(frozenset({"first_length"})),
        ),
        Mistake(
            "longest",
            "The mask is as wide as the longest text; there are `tokens` keys, more than that.",
            _masks(frozenset({"longest"})),
        ),
        Mistake(
            "dtype_ignored",
            "The argument `dtype` is not used: the mask is always float32. Added to float16 scores "
            "it would turn them into float32.",
            points=3,
        ),
        Mistake(
            "left_ignored",
            "The argument `left` is not used: padding is always expected on the right. With "
            "padding on the left the *last* n places are real.",
            points=2,
            section=_LEFT,
        ),
        Mistake(
            "left_is_not_right",
            "With `left=True` the mask of right padding was turned into its opposite, so the first "
            "n places are hidden. It is the last n that are real.",
            _masks(frozenset({"left_is_not_right"})),
            points=2,
            section=_LEFT,
        ),
        Mistake(
            "left_one_more",
            "With padding on the left, one token of padding before each text is still seen: the "
            "text begins at place tokens − n.",
            _masks(frozenset({"left_one_more"})),
            points=2,
            section=_LEFT,
        ),
        Mistake(
            "left_one_less",
            "With padding on the left, the first real token of each text is hidden (`>`): the text "
            "begins *at* place tokens − n.",
            _masks(frozenset({"left_one_less"})),
            points=2,
            section=_LEFT,
        ),
        Mistake(
            "not_a_number",
            "Zeros and ones are multiplied by −∞, and 0 · −∞ is NaN. Fill with the lowest number "
            "where a key is hidden (`masked_fill`, `where`).",
            _not_a_number,
        ),
        Mistake(
            "causal_anyway",
            "Without `allowed` keys after the query are hidden, as in a decoder. An encoder looks "
            "both ways: hide padding, and only what `allowed` forbids.",
            _causal_anyway,
        ),
        Mistake(
            "allowed_ignored",
            "`allowed` has no effect: keys that it forbids are still seen.",
            points=2,
        ),
        Mistake(
            "allowed_inverted",
            "`allowed` is read the wrong way round: True says that the query may look.",
            points=2,
        ),
        Mistake(
            "allowed_alone",
            "Where `allowed` is given, padding is forgotten: a key must be real *and* allowed.",
            _masks(frozenset({"allowed_alone"})),
            points=2,
        ),
        Mistake(
            "either",
            "A key is seen if it is real *or* allowed; it must be real *and* allowed.",
            points=2,
            alone=True,
        ),
        Mistake(
            "summed",
            "Two masks are added: where both hide a key, twice the lowest number is −∞. Combine "
            "the booleans (`&`) first, then fill once.",
            _masks(frozenset({"summed"})),
            points=2,
        ),
        Mistake(
            "allowed_turned",
            "`allowed` is transposed: its rows are the queries, its columns the keys.",
            _allowed_turned,
            points=2,
            any_error=True,
        ),
        Mistake(
            "allowed_square_only",
            "It works only if there are as many queries as tokens; `allowed` may have fewer rows, "
            "or more.",
            _allowed_square_only,
            points=3,
            any_error=True,
        ),
        Mistake(
            "nothing_is_everything",
            "A text of length 0 counts as full. Is there a slice `[-n:]`? With n = 0 that is the "
            "whole row, not nothing.",
            _negative_slices,
        ),
        Mistake(
            "all_flipped",
            "With `left=True` `allowed` is turned round as well: flip what comes from the lengths, "
            "and only then combine.",
            _all_flipped,
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "rounded",
            "The mask is made in float32 and then converted: −3.4e38 becomes −∞ in half precision. "
            "Take `torch.finfo(dtype).min` of the dtype that is asked for.",
            _rounded_mask,
            points=3,
        ),
        Mistake(
            "always_float16",
            "Hidden keys always get −65504, the lowest number of float16. Each dtype has its own: "
            "`torch.finfo(dtype).min`.",
            _minimum_of_float16,
        ),
        Mistake(
            "full_square",
            "Without `allowed` the mask was expanded to [batch, 1, tokens, tokens]; leave the "
            "query axis at 1, it broadcasts.",
            _full_square,
        ),
        Mistake(
            "queries_hidden_too",
            "The rows of padding are hidden as well as the columns. Hide keys only: what padding "
            "itself sees is nobody's concern.",
            _queries_hidden_too,
            any_error=True,
        ),
        Mistake(
            "two_axes",
            "The mask is [batch, tokens]: against scores [batch, heads, queries, keys] PyTorch "
            "would take its batch for queries. Insert two axes of size 1.",
            lambda lengths, tokens, dtype=torch.float32, allowed=None, left=False: (
                _right_mask(lengths, tokens, dtype, None, left)[:, 0, 0]
                if allowed is None
                else _right_mask(lengths, tokens, dtype, allowed, left)
            ),
            same_results=(_after_mask(lambda mask: mask.squeeze()),),
        ),
        Mistake(
            "three_axes",
            "The mask has three axes; against scores [batch, heads, queries, keys] PyTorch would "
            "take its batch for heads. It has four: [batch, 1, 1 or queries, tokens].",
            _after_mask(lambda mask: mask.squeeze(1)),
        ),
        Mistake(
            "boolean",
            "The mask is boolean. A boolean mask is fine for some functions, but this one is to be "
            "*added*: 0 for what is seen, the lowest number for the rest.",
            _after_mask(lambda mask: mask == 0),
        ),
        Mistake(
            "boolean_hidden",
            "The mask is boolean, and True where it hides. This one is to be *added*: 0 for what "
            "is seen, the lowest number for the rest.",
            _after_mask(lambda mask: mask != 0),
        ),
        Mistake(
            "ones_and_zeros",
            "The mask holds ones and zeros. Added to the scores they hide nothing: what is seen "
            "gets 0, what is hidden the lowest number of the dtype.",
            _after_mask(lambda mask: (mask == 0).to(mask.dtype)),
            section=_COMMON,
        ),
        Mistake(
            "ones_for_hidden",
            "The mask holds 1 for what is hidden and 0 for what is seen; added to the scores, a 1 "
            "hides nothing, on the contrary. Hidden keys get the lowest number of the dtype.",
            _after_mask(lambda mask: (mask != 0).to(mask.dtype)),
            section=_COMMON,
        ),
        Mistake(
            "ones_seen",
            "What is seen has 1; it must be 0, because the mask is added.",
            _after_mask(lambda mask: mask.masked_fill(mask == 0, 1.0)),
        ),
        Mistake(
            "changed_lengths",
            "The mask is right, but `lengths` was changed in place; the caller still needs it.",
            _changed_lengths,
        ),
        Mistake(
            "changed_allowed",
            "The mask is right, but `allowed` was changed in place (`&=`); the caller still needs "
            "it.",
            _changed_allowed,
            points=2,
        ),
    ),
)


# ---- Exercise 2: regrouped_bert ----------------------------------------------------------------

_EMBEDDING_NAMES = {
    "word_embeddings": "embedding.word",
    "position_embeddings": "embedding.position",
    "token_type_embeddings": "embedding.segment",
    "LayerNorm": "embedding.norm",
}
_LAYER_NAMES = {
    "attention.output.dense": "attention.output",
    "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up",
    "output.dense": "mlp.down",
    "output.LayerNorm": "mlp.norm",
}


def _regrouped(made: Made = NONE) -> Callable:
    kinds = {"gamma": "weight", "beta": "bias"}
    if "gamma_beta_exchanged" in made:
        kinds = {"gamma": "bias", "beta": "weight"}
    if "old_names" in made:
        kinds = {}
    embedding_names, layer_names = dict(_EMBEDDING_NAMES), dict(_LAYER_NAMES)
    kept = {"pooler_kept": "pooler.", "head_kept": "cls."}
    others = tuple(start for mistake, start in kept.items() if mistake in made)
    if "norms_exchanged" in made:
        layer_names["attention.output.LayerNorm"] = "mlp.norm"
        layer_names["output.LayerNorm"] = "attention.norm"
    if "up_and_down_exchanged" in made:
        layer_names["intermediate.dense"] = "mlp.down"
        layer_names["output.dense"] = "mlp.up"
    if "tables_exchanged" in made:
        embedding_names["word_embeddings"] = _EMBEDDING_NAMES["position_embeddings"]
        embedding_names["position_embeddings"] = _EMBEDDING_NAMES["word_embeddings"]
    if "segments_left_out" in made:
        del embedding_names["token_type_embeddings"]

    def packed(parts: list[Tensor], heads: int) -> Tensor:
        """Rows of query, key and value in the new order."""
        if "key_first" in made:
            parts = [parts[1], parts[0], parts[2]]
        if "value_first" in made:
            parts = [parts[2], parts[0], parts[1]]
        if "value_second" in made:
            parts = [parts[0], parts[2], parts[1]]
        thirds = "thirds" in made or ("bias_thirds" in made and parts[0].dim() == 1)
        if thirds or ("weight_thirds" in made and parts[0].dim() == 2):
            return torch.cat(parts)
        if "row_by_row" in made:
            return torch.stack(parts, dim=1).flatten(0, 1)
        cut = (-1, heads) if "size_for_heads" in made else (heads, -1)
        by_head = [part.unflatten(0, cut) for part in parts]
        if "row_outside" in made:  # [size, heads, 3]
            return torch.stack([part.transpose(0, 1) for part in by_head], dim=2).flatten(0, 2)
        return torch.stack(by_head, dim=1).flatten(0, 2)

    def regrouped_bert(state, num_attention_heads):
        if "prefix_kept" not in made:
            state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
        result, layers = {}, {}
        for name, tensor in state.items():
            if "float32" in made and tensor.is_floating_point():
                tensor = tensor.float()
            module, _, kind = name.rpartition(".")
            kind = kinds.get(kind, kind)
            if name == "embeddings.position_ids" and "position_ids_kept" in made:
                result["embedding.position_ids"] = tensor
            elif name.startswith("embeddings."):
                new = embedding_names.get(module.removeprefix("embeddings."))
                if new:
                    result[f"{new}.{kind}"] = tensor
            elif name.startswith("encoder.layer."):
                number, _, module = module.removeprefix("encoder.layer.").partition(".")
                number = number[:1] if "one_digit" in made else number
                layers.setdefault(number, {})[f"{module}.{kind}"] = tensor
            elif name.startswith(others):
                result[name] = tensor
        numbers = list(layers)
        if "sorted_as_text" in made:
            numbers = sorted(numbers)
        for place, number in enumerate(numbers):
            layer = layers[number]
            new = str(place) if "sorted_as_text" in made else number
            if "from_one" in made:
                new = str(int(new) + 1)
            start = f"layers.{new}"
            for kind in ("weight", "bias"):
                parts = [layer[f"attention.self.{p}.{kind}"] for p in ("query", "key", "value")]
                rows = packed(parts, num_attention_heads)
                result[f"{start}.attention.query_key_value.{kind}"] = rows
            for name, tensor in layer.items():
                module, _, kind = name.rpartition(".")
                if module in layer_names:
                    turned = "transposed" in made and tensor.dim() == 2
                    result[f"{start}.{layer_names[module]}.{kind}"] = tensor.T if turned else tensor
        return result

    return regrouped_bert


_right_bert = _regrouped()


def _bert_cases(generator: torch.Generator) -> list[Case]:
    hugging_face = {new: old for old, new in _EMBEDDING_NAMES.items()}
    of_layer = {new: old for old, new in _LAYER_NAMES.items()}

    def case(
        title, part, layers=2, heads=None, size=None, prefix="", old=False, more=False, shown=None,
        dtype=torch.float32,
    ):  # fmt: skip
        heads = heads or _one_of(generator, 2, 3)
        size = size or _one_of(generator, 4, 5)
        hidden = heads * size
        vocab, places, segments, wide = hidden + 3, hidden + 1, 2, hidden + 5
        gain, offset = ("gamma", "beta") if old else ("weight", "bias")
        state: dict[str, Tensor] = {}

        def add(name: str, *shape: int) -> None:
            state[prefix + name] = _normal(generator, *shape).to(dtype)

        def add_norm(name: str) -> None:
            add(f"{name}.{gain}", hidden)
            add(f"{name}.{offset}", hidden)

        def add_linear(name: str, out: int, into: int) -> None:
            add(f"{name}.weight", out, into)
            add(f"{name}.bias", out)

        if more:
            state[f"{prefix}embeddings.position_ids"] = torch.arange(places)[None]
        for name, rows in (("word", vocab), ("position", places), ("segment", segments)):
            add(f"embeddings.{hugging_face[f'embedding.{name}']}.weight", rows, hidden)
        add_norm("embeddings.LayerNorm")
        for i in range(layers):
            start = f"encoder.layer.{i}."
            for part_name in ("query", "key", "value"):
                add_linear(f"{start}attention.self.{part_name}", hidden, hidden)
            add_linear(f"{start}{of_layer['attention.output']}", hidden, hidden)
            add_norm(f"{start}{of_layer['attention.norm']}")
            add_linear(f"{start}{of_layer['mlp.up']}", wide, hidden)
            add_linear(f"{start}{of_layer['mlp.down']}", hidden, wide)
            add_norm(f"{start}{of_layer['mlp.norm']}")
        if more:
            add_linear("pooler.dense", hidden, hidden)
        if more and prefix:  # what predicts masked words, and the next sentence
            prefix = ""
            add("cls.predictions.bias", vocab)
            add_linear("cls.predictions.transform.dense", hidden, hidden)
            add_norm("cls.predictions.transform.LayerNorm")
            add("cls.predictions.decoder.weight", vocab, hidden)
            add_linear("cls.seq_relationship", 2, hidden)
        layout = {n: list(t.shape) for n, t in _right_bert(state, heads).items()}
        arguments = (
            ("state", state),
            ("num_attention_heads", heads),
            ("layout", layout),
            ("shown", shown or [""]),
        )
        return Case(title, part, arguments, driver=drivers.converted)

    return [
        case(
            "the weights of a `BertModel`, two layers",
            "core",
            heads=2,
            size=4,
            shown=["embedding.", "layers.0.attention", "layers.1."],
        ),
        case(
            "three heads",
            "core",
            layers=1,
            heads=3,
            size=_one_of(generator, 2, 4, 5),
            shown=["layers.0.attention"],
        ),
        case(
            "with a pooler and position ids",
            "whole",
            layers=1,
            more=True,
            shown=["embedding.norm", "layers.0.attention.query"],
        ),
        case(
            "a whole model for pretraining",
            "whole",
            layers=1,
            prefix="bert.",
            more=True,
            shown=["embedding.norm", "layers.0.attention.query"],
        ),
        case(
            "gamma and beta",
            "old",
            layers=1,
            prefix="bert.",
            old=True,
            more=True,
            shown=["embedding.norm", "layers.0.attention.norm", "layers.0.mlp.norm"],
        ),
        case(
            "eleven layers (compared: 1 and 10)",
            "old",
            layers=11,
            heads=2,
            size=2,
            old=True,
            shown=["layers.1.attention.output", "layers.10.attention"],
        ),
        case(
            "float64",
            "old",
            layers=1,
            heads=2,
            size=3,
            dtype=torch.float64,
            shown=["layers.0.mlp", "embedding.norm"],
        ),
    ]


def _bert_by_patterns(state, num_attention_heads):
    rules = (
        (r"^(bert\.)?", ""),
        (r"\.gamma$", ".weight"),
        (r"\.beta$", ".bias"),
        (r"^embeddings\.LayerNorm", "embedding.norm"),
        (r"^embeddings\.word_embeddings", "embedding.word"),
        (r"^embeddings\.position_embeddings", "embedding.position"),
        (r"^embeddings\.token_type_embeddings", "embedding.segment"),
        (r"^encoder\.layer\.", "layers."),
        (r"attention\.output\.LayerNorm", "attention.norm"),
        (r"attention\.output\.dense", "attention.output"),
        (r"intermediate\.dense", "mlp.up"),
        (r"(\d)\.output\.dense", r"\1.mlp.down"),
        (r"(\d)\.output\.LayerNorm", r"\1.mlp.norm"),
    )
    result = {}
    for name, tensor in state.items():
        for pattern, new in rules:
            name = re.sub(pattern, new, name)
        result[name] = tensor
    for name in [name for name in result if ".self.query." in name]:
        rows = []
        parts = [result[name.replace("query", part)] for part in ("query", "key", "value")]
        size = len(parts[0]) // num_attention_heads
        for head in range(num_attention_heads):
            rows += [part[head * size : (head + 1) * size] for part in parts]
        result[name.replace("self.query", "query_key_value")] = torch.cat(rows)
    wanted = ("embedding.", "layers.")
    return {
        name: tensor
        for name, tensor in result.items()
        if name.startswith(wanted) and ".self." not in name
    }


def _bert_by_names(state, num_attention_heads):
    """Ask for each tensor of the new layout."""
    prefix = "bert." if any(name.startswith("bert.") for name in state) else ""

    def get(module: str, kind: str) -> Tensor:
        old = {"weight": "gamma", "bias": "beta"}[kind]
        name = f"{prefix}{module}.{kind}"
        return state[name if name in state else f"{prefix}{module}.{old}"].clone()

    result = {}
    for old, new in _EMBEDDING_NAMES.items():
        for kind in ("weight", "bias") if old == "LayerNorm" else ("weight",):
            result[f"{new}.{kind}"] = get(f"embeddings.{old}", kind)
    i = 0
    while f"{prefix}encoder.layer.{i}.output.dense.weight" in state:
        layer = f"{prefix}encoder.layer.{i}".removeprefix(prefix)
        for kind in ("weight", "bias"):
            for old, new in _LAYER_NAMES.items():
                result[f"layers.{i}.{new}.{kind}"] = get(f"{layer}.{old}", kind)
            parts = [get(f"{layer}.attention.self.{p}", kind) for p in ("query", "key", "value")]
            shape = (3, num_attention_heads, -1, *parts[0].shape[1:])
            packed = torch.cat(parts).view(shape).transpose(0, 1)
            result[f"layers.{i}.attention.query_key_value.{kind}"] = packed.reshape(
                -1, *parts[0].shape[1:]
            )
        i += 1
    return result


def _bert_by_order(state, num_attention_heads):
    """Put the packed rows in order with an index."""
    right = {}
    for name, tensor in state.items():
        name = name.replace("bert.", "").replace("gamma", "weight").replace("beta", "bias")
        pieces = name.split(".")
        if pieces[0] == "embeddings" and pieces[1] != "position_ids":
            right[f"{_EMBEDDING_NAMES[pieces[1]]}.{pieces[-1]}"] = tensor
        if pieces[0] == "encoder":
            module = ".".join(pieces[3:-1])
            if module in _LAYER_NAMES:
                right[f"layers.{pieces[2]}.{_LAYER_NAMES[module]}.{pieces[-1]}"] = tensor
                continue
            hidden = len(tensor)
            size = hidden // num_attention_heads
            place = ("query", "key", "value").index(pieces[5])
            row = torch.arange(hidden)
            target = row // size * 3 * size + place * size + row % size
            packed = f"layers.{pieces[2]}.attention.query_key_value.{pieces[-1]}"
            if packed not in right:
                right[packed] = tensor.new_empty(3 * hidden, *tensor.shape[1:])
            right[packed][target] = tensor
    return right


def _lstrip(state, num_attention_heads):
    return _right_bert(
        {name.lstrip("bert."): tensor for name, tensor in state.items()},
        num_attention_heads,
    )


def _after_bert(change: Callable[[dict[str, Tensor]], object]) -> Callable:
    return lambda state, heads: change(_right_bert(state, heads))


def _bert_in_place(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in state if ".self." in name]:
        del state[name]
    return result


def _renamed_late(state, num_attention_heads):
    """`output.dense` is replaced everywhere, before `attention.output.dense`."""
    result = _right_bert(state, num_attention_heads)
    wrong = {"attention.output": "attention.mlp.down", "attention.norm": "attention.mlp.norm"}
    for name in list(result):
        for right, found in wrong.items():
            if f".{right}." in name:
                result[name.replace(right, found)] = result.pop(name)
    return result


def _qkv_apart(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in result if "query_key_value" in name]:
        by_head = result.pop(name).unflatten(0, (num_attention_heads, 3, -1))
        for place, part in enumerate(("query", "key", "value")):
            rows = by_head[:, place].flatten(0, 1)
            result[name.replace("query_key_value", part)] = rows
    return result


def _side_by_side(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    for name in [name for name in result if "query_key_value.weight" in name]:
        result[name] = result[name].T
    return result


def _turned(*endings: str) -> Callable:
    """The right layout with some matrices transposed."""

    def turned(state, num_attention_heads):
        result = _right_bert(state, num_attention_heads)
        return {n: t.T if n.endswith(endings) else t for n, t in result.items()}

    return turned


def _looked_up(state, num_attention_heads):
    for prefix in ("", "bert."):
        if f"{prefix}embeddings.word_embeddings.weight" in state:
            state[f"{prefix}embeddings.LayerNorm.weight"]
    return _right_bert(state, num_attention_heads)


def _first_layer(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if n.startswith(("embedding.", "layers.0."))}


def _same_for_all(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    last = max((int(n.split(".")[1]) for n in result if n.startswith("layers.")), default=0)
    return {n: result[re.sub(r"^layers\.\d+", f"layers.{last}", n)] for n in result}


def _packed_otherwise(change: Callable[[Tensor], Tensor]) -> Callable:
    """What is done to ``[heads, 3, rows of a head, …]`` before it is flattened."""

    def regrouped_bert(state, num_attention_heads):
        result = _right_bert(state, num_attention_heads)
        for name in [name for name in result if "query_key_value" in name]:
            result[name] = change(result[name].unflatten(0, (num_attention_heads, 3, -1)))
        return result

    return regrouped_bert


def _scaled_queries(by_head: Tensor) -> Tensor:
    by_head = by_head.clone()
    by_head[:, 0] /= math.sqrt(by_head.size(2))
    return by_head.flatten(0, 2)


def _all_embeddings_looked_up(state, num_attention_heads):
    for name in state:
        if ".position_ids" in name:
            raise KeyError("position_ids")
    return _right_bert(state, num_attention_heads)


def _first_layers(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if not re.match(r"layers\.([2-9]|\d\d)", n)}


def _without_biases(state, num_attention_heads):
    result = _right_bert(state, num_attention_heads)
    return {n: t for n, t in result.items() if "query_key_value.bias" not in n}


REGROUPED_BERT = Exercise(
    id="regrouped_bert",
    title="A real checkpoint into another encoder",
    signature="regrouped_bert(state, num_attention_heads)",
    reference=_right_bert,
    cases=_bert_cases,
    parts=(
        Part("core", "names, and rows grouped by head", 2),
        Part("whole", "a prefix, and what does not belong to the encoder", 1),
        Part("old", "old names, eleven layers, another dtype", 1),
    ),
    minutes=25,
    difficulty=2,
    section=_REBUILT,
    variant=_regrouped,
    alternatives={
        "patterns and a list of rows": _bert_by_patterns,
        "name by name, with a view": _bert_by_names,
        "an index of rows": _bert_by_order,
        "an ordered dictionary of copies": lambda state, heads: type(
            "Ordered", (dict,), {"__doc__": "A subclass."}
        )((name, tensor.clone()) for name, tensor in reversed(_right_bert(state, heads).items())),
    },
    mistakes=(
        Mistake(
            "thirds",
            "Query, key and value are packed as in the chapter: first all query rows, then all key "
            "rows, then all value rows. This layout goes head by head: query, key and value rows "
            "of head 0, then those of head 1, and so on.",
        ),
        Mistake(
            "bias_thirds",
            "The weights are grouped by head, but the biases still lie as three thirds. A bias "
            "belongs to its row: reorder both in the same way.",
            _regrouped(frozenset({"bias_thirds"})),
        ),
        Mistake(
            "weight_thirds",
            "The biases are grouped by head, but the weights still lie as three thirds. A bias "
            "belongs to its row: reorder both in the same way.",
            _regrouped(frozenset({"weight_thirds"})),
        ),
        Mistake(
            "row_by_row",
            "Query, key and value alternate row by row. They alternate by heads: all query rows of "
            "a head stay together, then all its key rows, then all its value rows.",
        ),
        Mistake(
            "row_outside",
            "The number of the row within its head runs slowest, and query, key, value fastest. It "
            "must be: heads slowest, then query, key, value, then the rows of the head.",
            _regrouped(frozenset({"row_outside"})),
        ),
        Mistake(
            "size_for_heads",
            "The rows were cut into pieces of `num_attention_heads` rows. There are "
            "`num_attention_heads` pieces, each of hidden / num_attention_heads rows.",
            _regrouped(frozenset({"size_for_heads"})),
        ),
        Mistake(
            "key_first",
            "Keys stand before queries; the order within each head is query, key, value.",
            _regrouped(frozenset({"key_first"})),
        ),
        Mistake(
            "value_first",
            "Values stand first; the order within each head is query, key, value.",
            _regrouped(frozenset({"value_first"})),
        ),
        Mistake(
            "value_second",
            "Each head has its query rows, its value rows, its key rows; the order is query, key, "
            "value.",
            _regrouped(frozenset({"value_second"})),
        ),
        Mistake(
            "transposed",
            "Matrices are transposed; those of the feed-forward part show it by their shape. Both "
            "layouts keep a linear map as `nn.Linear` does, [out, in].",
            _regrouped(frozenset({"transposed"})),
            same_results=(_turned("mlp.up.weight", "mlp.down.weight"),),
        ),
        Mistake(
            "norms_exchanged",
            "The two normalisations of a layer are exchanged: `attention.output.LayerNorm` follows "
            "attention, `output.LayerNorm` follows the feed-forward part.",
            section="“How sharp is this test?” in chapter 6",
        ),
        Mistake(
            "up_and_down_exchanged",
            "The two maps of the feed-forward part are exchanged: `intermediate.dense` becomes "
            "`mlp.up`, `output.dense` becomes `mlp.down`.",
            _regrouped(frozenset({"up_and_down_exchanged"})),
        ),
        Mistake(
            "tables_exchanged",
            "The tables of words and of positions are exchanged.",
            _regrouped(frozenset({"tables_exchanged"})),
        ),
        Mistake(
            "segments_left_out",
            "The table of segments (`token_type_embeddings`) is left out.",
            _regrouped(frozenset({"segments_left_out"})),
            section=_TYPES,
        ),
        Mistake(
            "from_one",
            "The layers are numbered from 1; both layouts count from 0.",
            _regrouped(frozenset({"from_one"})),
        ),
        Mistake(
            "prefix_kept",
            "It finds nothing where the names begin with `bert.`: a whole model keeps its encoder "
            "under that name. Remove the prefix if it is there.",
            points=2,
        ),
        Mistake(
            "position_ids_kept",
            "`position_ids` is kept. It is no weight but the numbers 0, 1, 2, …, which old "
            "checkpoints saved along.",
            points=2,
            alone=True,
        ),
        Mistake(
            "pooler_kept",
            "The pooler is kept; it is a head on top of the encoder and does not belong to it.",
            points=2,
            alone=True,
        ),
        Mistake(
            "head_kept",
            "What begins with `cls.` is kept: those are the heads of pretraining, which do not "
            "belong to the encoder.",
            _regrouped(frozenset({"head_kept"})),
            points=2,
        ),
        Mistake(
            "old_names",
            "`gamma` and `beta` are not understood: so the weight and the bias of a normalisation "
            "were called in old checkpoints.",
            points=3,
            alone=True,
        ),
        Mistake(
            "prefix_not_found",
            "Names are looked up without a prefix, and in a whole model they begin with `bert.`: a "
            "`KeyError`. Find out whether the prefix is there.",
            lambda state, heads: (
                state["embeddings.word_embeddings.weight"] is not None and _right_bert(state, heads)
            ),
            points=2,
        ),
        Mistake(
            "old_names_not_found",
            "`LayerNorm.weight` is looked up where an old checkpoint has `LayerNorm.gamma`: a "
            "`KeyError`. Take the one that is there; the same with bias and `beta`.",
            _looked_up,
            points=3,
        ),
        Mistake(
            "gamma_beta_exchanged",
            "`gamma` became the bias and `beta` the weight. γ is the factor (weight), β is added "
            "(bias).",
            _regrouped(frozenset({"gamma_beta_exchanged"})),
            points=3,
        ),
        Mistake(
            "one_digit",
            "Only one digit of the layer's number is read, so layer 10 is written over layer 1.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_as_text",
            "The layers were sorted as texts, in which 10 comes before 2, and numbered anew.",
            _regrouped(frozenset({"sorted_as_text"})),
            points=3,
        ),
        Mistake(
            "float32",
            "The result is float32 whatever came in: float64 weights lose half of their digits.",
            _regrouped(frozenset({"float32"})),
            points=3,
        ),
        Mistake(
            "lstrip",
            '`lstrip("bert.")` removes the *letters* b, e, r, t and the dot from the left, as many '
            "as there are: of `embeddings` it takes the first letter. Use "
            '`removeprefix("bert.")`.',
            _lstrip,
        ),
        Mistake(
            "replaced_too_early",
            "`output.dense` was replaced inside `attention.output.dense` as well (and the same "
            "with `output.LayerNorm`). Replace the longer name first, or split the name at its "
            "dots.",
            _renamed_late,
        ),
        Mistake(
            "not_packed",
            "Query, key and value are still apart; the new layout keeps them in one "
            "`query_key_value`.",
            _qkv_apart,
        ),
        Mistake(
            "side_by_side",
            "The packed weight is [hidden, 3 · hidden]; it must be [3 · hidden, hidden]: rows, "
            "as `nn.Linear` keeps them.",
            _side_by_side,
        ),
        Mistake(
            "output_turned",
            "The matrix of `attention.output` is transposed. It is square, so no shape tells; both "
            "layouts keep it as [out, in].",
            _turned("attention.output.weight"),
        ),
        Mistake(
            "first_layer_only",
            "Only layer 0 is converted. How many layers there are must be found in the names.",
            _first_layer,
        ),
        Mistake(
            "last_layer_everywhere",
            "All layers hold the weights of the last one: look at where the number of the layer "
            "enters the new names.",
            _same_for_all,
        ),
        Mistake(
            "packed_bias_left_out",
            "The biases of query, key and value are left out.",
            _without_biases,
        ),
        Mistake(
            "values_missing",
            "Only queries and keys are packed; the value rows of each head belong behind them.",
            _packed_otherwise(lambda by_head: by_head[:, :2].flatten(0, 2)),
        ),
        Mistake(
            "keys_twice",
            "The keys stand where the values should be, too: a name was copied and not changed.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 1, 1]].flatten(0, 2)),
        ),
        Mistake(
            "queries_twice",
            "The queries stand where the keys should be, too: a name was copied and not changed.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 0, 2]].flatten(0, 2)),
        ),
        Mistake(
            "queries_three_times",
            "The queries stand where keys and values should be, too: take the tensors of all three "
            "names.",
            _packed_otherwise(lambda by_head: by_head[:, [0, 0, 0]].flatten(0, 2)),
        ),
        Mistake(
            "not_flattened",
            "The packed rows still lie in an axis for heads, one for query, key and value, and one "
            "for the rows of a head: flatten these three to one.",
            _packed_otherwise(lambda by_head: by_head),
        ),
        Mistake(
            "scaled_queries",
            "The queries are divided by the root of the head's size. Attention will do so itself; "
            "weights are only moved.",
            _packed_otherwise(_scaled_queries),
        ),
        Mistake(
            "position_ids_fail",
            "It fails at `embeddings.position_ids`, which is no weight. Leave out what is not in "
            "the table.",
            _all_embeddings_looked_up,
            points=2,
        ),
        Mistake(
            "first_layers",
            "Only the first two layers are converted. How many there are must be found in the "
            "names.",
            _first_layers,
            points=3,
        ),
        Mistake(
            "changed_state",
            "The result is right, but the state that was given is changed (`pop`, `del`, or new "
            "entries in the same dictionary); the caller still needs it. Fill a new dictionary.",
            _bert_in_place,
        ),
        Mistake(
            "pairs",
            "The result is no dictionary; `load_state_dict` wants names and tensors in a `dict`.",
            _after_bert(lambda result: list(result.items())),
        ),
        Mistake(
            "all_float16",
            "The result is float16 whatever came in; keep the dtype.",
            _after_bert(lambda result: {name: t.half() for name, t in result.items()}),
        ),
    ),
)


# ---- Exercise 3: CompactEmbeddings -------------------------------------------------------------


def _compact(made: Made = NONE) -> type[nn.Module]:
    class CompactEmbeddings(nn.Module):
        def __init__(
            self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size,
            pad_token_id, eps=1e-12, dropout=0.1,
        ):  # fmt: skip
            super().__init__()
            if "eps_ignored" in made:
                eps = 1e-5  # the default of nn.LayerNorm
            self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
            self.position_embeddings = nn.Embedding(max_positions, embedding_size)
            self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
            self.norm = nn.LayerNorm(embedding_size, eps)
            self.projection = nn.Linear(embedding_size, hidden_size)
            self.p = 0.1 if "rate_ignored" in made else dropout
            self.pad = pad_token_id

        def drop(self, x, place):
            where = "end" if "dropped_late" in made else "norm"
            where = "sum" if "dropped_early" in made else where
            if place != where or "not_dropped" in made:
                return x
            return F.dropout(x, self.p, self.training or "alive" in made)

        def count(self, input_ids):
            pad = 0 if "pad_zero" in made else 1 if "pad_one" in made else self.pad
            batch, tokens = input_ids.shape
            if "by_sentence" in made:
                return torch.arange(batch)[:, None].expand(batch, tokens) + self.pad + 1
            if "padding_counted" in made:
                return (torch.arange(tokens) + self.pad + 1).expand(batch, tokens)
            if "plain_count" in made:
                return torch.arange(tokens).expand(batch, tokens)
            real = (input_ids > pad if "above_pad" in made else input_ids != pad).long()
            counted = real.cumsum(dim=1)
            if "by_column" in made:
                counted = real.cumsum(dim=0)
            if "padding_not_reset" not in made:
                counted = counted * real
            if "from_zero" in made:
                return (counted - 1).clamp(min=0)
            if "padding_zero" in made:
                return (counted + self.pad) * real
            if "one_too_high" in made:
                return (counted + 1) * real + self.pad
            if "from_pad" in made:
                return (counted - 1).clamp(min=0) + self.pad
            return counted if "no_offset" in made else counted + self.pad

        def forward(self, input_ids, token_type_ids=None, position_ids=None):
            if token_type_ids is None or "segments_ignored" in made:
                token_type_ids = torch.full_like(input_ids, int("segment_one" in made))
            if position_ids is None or "positions_ignored" in made:
                position_ids = self.count(input_ids)
            if "first_row" in made:
                position_ids = position_ids[:1]
            x = self.word_embeddings(input_ids)
            if "scaled" in made:
                x = x * math.sqrt(x.size(-1))
            if "no_positions" not in made:
                x = x + self.position_embeddings(position_ids)
            if "no_segments" not in made:
                x = x + self.token_type_embeddings(token_type_ids)
            x = self.drop(x, "sum")
            if "no_norm" not in made:
                x = self.norm(x)
            x = self.drop(x, "norm")
            bias = None if "no_bias" in made else self.projection.bias
            return self.drop(F.linear(x, self.projection.weight, bias), "end")

    return CompactEmbeddings


_CompactEmbeddings = _compact()


def _embedding_cases(generator: torch.Generator) -> list[Case]:
    pad = _one_of(generator, 2, 3)
    vocab, places, types = _one_of(generator, 17, 19), _one_of(generator, 14, 15), 3
    small, hidden = _one_of(generator, 5, 6), _one_of(generator, 8, 9)

    def state() -> dict[str, Tensor]:
        return {
            "word_embeddings.weight": _normal(generator, vocab, small),
            "position_embeddings.weight": _normal(generator, places, small),
            "token_type_embeddings.weight": _normal(generator, types, small),
            "norm.weight": 1.5 + _normal(generator, small, size=0.4),
            "norm.bias": _normal(generator, small),
            "projection.weight": _normal(generator, hidden, small, size=0.6),
            "projection.bias": _normal(generator, hidden),
        }

    def words(batch: int, tokens: int, *lengths: int, left: bool = False) -> Tensor:
        ids = torch.randint(pad + 1, vocab, (batch, tokens), generator=generator)
        ids[-1, -1 if left else 0] = 0  # as good a word as any other
        ids[-1, -2 if left else tokens // 4] = 1
        if lengths:
            ids[~_real_places(torch.tensor(lengths), tokens, left)] = pad
        return ids

    def drawn_places(batch: int, tokens: int) -> Tensor:
        return torch.stack(
            [torch.randperm(places, generator=generator)[:tokens] for _ in range(batch)]
        )

    def drawn_types(batch: int, tokens: int) -> Tensor:
        drawn = torch.randint(1, types, (batch, tokens), generator=generator)
        drawn[:, 0] = 0
        return drawn

    def case(title, part, *inputs, driver=check.run_module, eps=0.3, dropout=0.1):
        init = [vocab, small, hidden, places, types, pad, eps, dropout]
        arguments = (("init", init), ("state", state()), ("inputs", list(inputs)))
        return Case(title, part, arguments, driver=driver)

    twice = drivers.evaluate_twice
    return [
        case("all three kinds of ids", "core", words(3, 4), drawn_types(3, 4), drawn_places(3, 4)),
        case(
            "the same positions for all texts, [1, tokens]",
            "core",
            words(2, 6),
            drawn_types(2, 6),
            drawn_places(1, 6),
        ),
        case("one token, batch of one", "core", words(1, 1), drawn_types(1, 1), drawn_places(1, 1)),
        case("evaluation, twice", "core", words(2, 3), drawn_types(2, 3), drawn_places(2, 3),
             driver=twice, dropout=0.5),
        case("segments left out", "counted", words(2, 5), None, drawn_places(2, 5)),
        case("padding on the right, positions left out", "counted", words(3, 7, 7, 2, 4)),
        case(
            "padding on the left, positions left out",
            "counted",
            words(3, 6, 1, 6, 3, left=True),
            drawn_types(3, 6),
        ),
        case("gradients", "trained", words(2, 4), drawn_types(2, 4), drawn_places(2, 4),
             driver=check.train_module),
        case("training with a dropout of 1", "trained", words(2, 3), drawn_types(2, 3),
             drawn_places(2, 3), driver=drivers.in_training, dropout=1.0),
    ]  # fmt: skip


class _OwnTables(nn.Module):
    """Tables as parameters, one-hot products, the norm by hand, a loop over the positions."""

    class Table(nn.Module):
        def __init__(self, rows: int, size: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(rows, size))

    def __init__(self, vocab, small, hidden, places, types, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = self.Table(vocab, small)
        self.position_embeddings = self.Table(places, small)
        self.token_type_embeddings = self.Table(types, small)
        self.norm = nn.LayerNorm(small)
        self.projection = nn.Linear(small, hidden)
        self.pad, self.eps, self.dropout = pad, eps, dropout

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            rows = []
            for text in input_ids.tolist():
                place, row = self.pad, []
                for word in text:
                    place += word != self.pad
                    row.append(self.pad if word == self.pad else place)
                rows.append(row)
            position_ids = torch.tensor(rows)
        if token_type_ids is None:
            token_type_ids = input_ids * 0
        total = 0
        for table, ids in (
            (self.word_embeddings, input_ids),
            (self.position_embeddings, position_ids),
            (self.token_type_embeddings, token_type_ids),
        ):
            total = total + F.one_hot(ids, len(table.weight)).float() @ table.weight
        total = total - total.mean(-1, keepdim=True)
        x = total / (total.square().mean(-1, keepdim=True) + self.eps).sqrt()
        x = F.dropout(x * self.norm.weight + self.norm.bias, self.dropout, self.training)
        return torch.einsum("bte,he->bth", x, self.projection.weight) + self.projection.bias


class _WithPaddingIndex(nn.Module):
    """Embedding modules with ``padding_idx``, positions from the mask, a sequence at the end."""

    def __init__(self, vocab, small, hidden, places, types, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, small, padding_idx=pad)
        self.position_embeddings = nn.Embedding(places, small)
        self.token_type_embeddings = nn.Embedding(types, small)
        self.norm = nn.LayerNorm(small, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(small, hidden)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        pad = self.word_embeddings.padding_idx
        mask = input_ids.ne(pad)
        if position_ids is None:
            position_ids = torch.where(mask, mask.int().cumsum(-1) + pad, pad)
        parts = [self.word_embeddings(input_ids), self.position_embeddings(position_ids)]
        if token_type_ids is None:
            parts.append(self.token_type_embeddings.weight[0])
        else:
            parts.append(self.token_type_embeddings(token_type_ids))
        x = parts[0] + parts[1] + parts[2]
        return self.projection(self.dropout(self.norm(x)))


class _InFloat64(_WithPaddingIndex):
    """In float64, by the functions of PyTorch."""

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        pad = self.word_embeddings.padding_idx
        if token_type_ids is None:
            token_type_ids = torch.zeros(input_ids.shape, dtype=torch.long)
        if position_ids is None:
            position_ids = ((input_ids != pad).cumsum(1) * (input_ids != pad)) + pad
        ids = (input_ids, position_ids.expand_as(input_ids), token_type_ids)
        tables = (self.word_embeddings, self.position_embeddings, self.token_type_embeddings)
        looked_up = [F.embedding(i, t.weight.double()) for i, t in zip(ids, tables, strict=True)]
        x = torch.stack(looked_up).sum(dim=0)
        gain, offset = self.norm.weight.double(), self.norm.bias.double()
        x = F.layer_norm(x, x.shape[-1:], gain, offset, self.norm.eps)
        weight, bias = self.projection.weight.double(), self.projection.bias.double()
        return F.linear(self.dropout(x), weight, bias).to(self.projection.weight.dtype)


class _TokenByToken(_WithPaddingIndex):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            columns, place = [], torch.full((len(input_ids),), self.word_embeddings.padding_idx)
            for words in input_ids.T:
                real = words != self.word_embeddings.padding_idx
                place = place + real.long()
                columns.append(torch.where(real, place, self.word_embeddings.padding_idx))
            position_ids = torch.stack(columns, dim=1)
        position_ids = position_ids.expand_as(input_ids)
        zeros = torch.zeros_like(input_ids)
        token_type_ids = zeros if token_type_ids is None else token_type_ids
        forward = super().forward
        return torch.cat(
            [
                forward(input_ids[:, [t]], token_type_ids[:, [t]], position_ids[:, [t]])
                for t in range(input_ids.size(1))
            ],
            dim=1,
        )


def _compact_like(forward: Callable | None = None, build: Callable | None = None) -> type:
    """The right module with another ``forward(module, x)`` from the summed vectors on."""

    class CompactEmbeddings(_CompactEmbeddings):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            if build is not None:
                build(self, *sizes)

        def forward(self, input_ids, token_type_ids=None, position_ids=None):
            if forward is None:
                return super().forward(input_ids, token_type_ids, position_ids)
            if token_type_ids is None:
                token_type_ids = torch.zeros_like(input_ids)
            if position_ids is None:
                position_ids = self.count(input_ids)
            parts = (
                self.word_embeddings(input_ids),
                self.position_embeddings(position_ids),
                self.token_type_embeddings(token_type_ids),
            )
            return forward(self, *parts)

    return CompactEmbeddings


def _norm_each(module, words, places, types):
    x = module.norm(words) + module.norm(places) + module.norm(types)
    return module.projection(module.drop(x, "norm"))


def _norm_words(module, words, places, types):
    return module.projection(module.drop(module.norm(words) + places + types, "norm"))


def _unbiased(module, words, places, types):
    x = words + places + types
    x = (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + module.norm.eps).sqrt()
    return module.projection(module.drop(x * module.norm.weight + module.norm.bias, "norm"))


def _rms(module, words, places, types):
    x = words + places + types
    x = F.rms_norm(x, x.shape[-1:], module.norm.weight, module.norm.eps) + module.norm.bias
    return module.projection(module.drop(x, "norm"))


def _averaged(module, words, places, types):
    return module.projection(module.drop(module.norm((words + places + types) / 3), "norm"))


def _detached(module, words, places, types):
    x = module.drop(module.norm(words + places + types), "norm")
    return module.projection(x.detach())


def _cut_off(module, words, places, types):
    return module.projection(module.drop(module.norm(words + places + types), "norm")).detach()


def _activated(module, words, places, types):
    return F.gelu(module.projection(module.drop(module.norm(words + places + types), "norm")))


def _wide_norm(module, vocab, small, hidden, *rest):
    module.norm = nn.LayerNorm(hidden)


def _wide_tables(module, vocab, small, hidden, places, types, *rest):
    module.word_embeddings = nn.Embedding(vocab, hidden)
    module.position_embeddings = nn.Embedding(places, hidden)
    module.token_type_embeddings = nn.Embedding(types, hidden)
    module.norm = nn.LayerNorm(hidden)


def _parameter_tables(module, vocab, small, hidden, places, types, *rest):
    del module.position_embeddings
    module.positions = nn.Parameter(torch.randn(places, small))


def _no_linear(module, *sizes):
    del module.projection


def _bare_linear(module, vocab, small, hidden, *rest):
    module.projection = nn.Linear(small, hidden, bias=False)


class _PaddingZeroed(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        found = super().forward(input_ids, token_type_ids, position_ids)
        return found * (input_ids != self.pad)[..., None]


def _tables_in_list(module, *sizes):
    tables = [module.word_embeddings, module.position_embeddings, module.token_type_embeddings]
    del module.word_embeddings, module.position_embeddings, module.token_type_embeddings
    module.tables = tables


class _NeedsSegments(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        self.token_type_embeddings(token_type_ids)
        return super().forward(input_ids, token_type_ids, position_ids)


class _NeedsPositions(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        self.position_embeddings(position_ids)
        return super().forward(input_ids, token_type_ids, position_ids)


class _ChangesIds(_CompactEmbeddings):
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        found = super().forward(input_ids, token_type_ids, position_ids)
        for ids in (token_type_ids, position_ids):
            if ids is not None:
                ids.zero_()
        return found


COMPACT_EMBEDDINGS = Exercise(
    id="CompactEmbeddings",
    title="A smaller table, and positions that skip padding",
    signature="class CompactEmbeddings(vocab_size, embedding_size, hidden_size, max_positions, "
    "type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1)",
    reference=_CompactEmbeddings,
    cases=_embedding_cases,
    parts=(
        Part("core", "words, positions, segments, norm and projection", 2),
        Part("counted", "segments and positions that are left out", 1),
        Part("trained", "gradients, and dropout in its place", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_EMBEDDINGS,
    variant=_compact,
    alternatives={
        "own tables and a loop": _OwnTables,
        "padding_idx and where": _WithPaddingIndex,
        "in float64": _InFloat64,
        "token by token": _TokenByToken,
    },
    mistakes=(
        Mistake("no_positions", "The vectors of the positions are not added."),
        Mistake("no_segments", "The vectors of the segments are not added.", section=_TYPES),
        Mistake("no_norm", "The sum is not normalised."),
        Mistake(
            "no_bias", "The bias of the projection is left out.", _compact(frozenset({"no_bias"}))
        ),
        Mistake(
            "scaled",
            "The word vectors are multiplied by the root of their size. The original Transformer "
            "does so, BERT and its relatives do not.",
            _compact(frozenset({"scaled"})),
        ),
        Mistake(
            "positions_ignored",
            "`position_ids` that are given are not used: positions are always counted.",
            _compact(frozenset({"positions_ignored"})),
        ),
        Mistake(
            "first_row",
            "Every text gets the positions of the first one.",
            _compact(frozenset({"first_row"})),
        ),
        Mistake(
            "segments_ignored",
            "`token_type_ids` that are given are not used: everything is in segment 0.",
            _compact(frozenset({"segments_ignored"})),
            section=_TYPES,
        ),
        Mistake(
            "eps_ignored",
            "The argument `eps` does not reach the normalisation.",
            alone=True,
        ),
        Mistake(
            "alive",
            "Dropout is alive in evaluation mode: `F.dropout` needs `training=self.training`; "
            "`nn.Dropout` knows its mode.",
            _compact(frozenset({"alive"})),
            section=_TRAPS,
        ),
        Mistake(
            "segment_one",
            "Where `token_type_ids` are left out, everything is in segment 1; it must be 0.",
            points=3,
            section=_TYPES,
        ),
        Mistake(
            "padding_counted",
            "Padding is counted: positions run on over it. Count real tokens only; padding itself "
            "has position `pad_token_id`.",
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "plain_count",
            "Positions are counted 0, 1, 2, … from the left, as BERT does. Here the first *real* "
            "token has position `pad_token_id` + 1, and padding has `pad_token_id`.",
            points=3,
            section=_LEFT,
            alone=True,
        ),
        Mistake(
            "padding_not_reset",
            "Padding behind a text has the position of its last token; it must have "
            "`pad_token_id`. Multiply the count by the mask before you add.",
            _compact(frozenset({"padding_not_reset"})),
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "no_offset",
            "Real tokens are counted from 1 and padding has 0: `pad_token_id` is not added.",
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "from_zero",
            "Real tokens are counted from 0 and padding is not told apart from them: the first "
            "real token has position `pad_token_id` + 1, padding has `pad_token_id`.",
            _compact(frozenset({"from_zero"})),
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "from_pad",
            "The first real token has position `pad_token_id`, which belongs to padding; it must "
            "be one more.",
            _compact(frozenset({"from_pad"})),
            points=3,
            section=_LEFT,
        ),
        Mistake(
            "by_sentence",
            "Where positions are left out, each token gets the number of its *text* in the batch "
            "(the wrong axis is counted).",
            _compact(frozenset({"by_sentence"})),
            points=3,
        ),
        Mistake(
            "by_column",
            "The cumulative sum runs along the batch (`cumsum(0)`); tokens are counted along "
            "axis 1.",
            _compact(frozenset({"by_column"})),
            points=3,
        ),
        Mistake(
            "padding_zeroed",
            "The vectors of padding are set to zero. Padding is embedded like any token; it is the "
            "mask's business that nobody looks at it.",
            _PaddingZeroed,
            points=3,
        ),
        Mistake(
            "pad_zero",
            "Id 0 is taken for padding; the padding id is the argument `pad_token_id`.",
            _compact(frozenset({"pad_zero"})),
            points=3,
        ),
        Mistake(
            "pad_one",
            "Id 1 is taken for padding, as RoBERTa has it; here the padding id is the argument "
            "`pad_token_id`.",
            _compact(frozenset({"pad_one"})),
            points=3,
        ),
        Mistake(
            "needs_segments",
            "It fails where `token_type_ids` are left out (`None`); then everything is in "
            "segment 0.",
            _NeedsSegments,
            points=3,
            any_error=True,
        ),
        Mistake(
            "needs_positions",
            "It fails where `position_ids` are left out (`None`); then they are counted from the "
            "ids.",
            _NeedsPositions,
            points=3,
            any_error=True,
        ),
        Mistake(
            "not_dropped",
            "Nothing is dropped in training mode.",
            points=3,
            section=_TRAPS,
            alone=True,
        ),
        Mistake(
            "dropped_late",
            "Dropout falls on the projected vectors; it belongs between normalisation and "
            "projection.",
            _compact(frozenset({"dropped_late"})),
            points=3,
        ),
        Mistake(
            "dropped_early",
            "Dropout falls on the sum before the normalisation; it belongs behind it.",
            _compact(frozenset({"dropped_early"})),
            points=3,
        ),
        Mistake(
            "above_pad",
            "Ids below `pad_token_id` are taken for padding (`>`); only the id itself is (`!=`).",
            _compact(frozenset({"above_pad"})),
            points=3,
        ),
        Mistake(
            "padding_zero",
            "Padding has position 0; it must be `pad_token_id`. Add the id after the mask was "
            "multiplied.",
            _compact(frozenset({"padding_zero"})),
            points=3,
        ),
        Mistake(
            "one_too_high",
            "The first real token has position `pad_token_id` + 2; it must be one less.",
            _compact(frozenset({"one_too_high"})),
            points=3,
        ),
        Mistake(
            "rate_ignored",
            "The rate of dropout is fixed; use the argument `dropout`.",
            _compact(frozenset({"rate_ignored"})),
            points=3,
        ),
        Mistake(
            "norm_each",
            "Words, positions and segments are normalised one by one; normalise their sum, once.",
            _compact_like(_norm_each),
        ),
        Mistake(
            "norm_words",
            "Only the word vectors are normalised; normalise the sum of all three.",
            _compact_like(_norm_words),
        ),
        Mistake(
            "averaged",
            "The three vectors are averaged; add them. (The normalisation hides the factor 3, but "
            "for `eps`.)",
            _compact_like(_averaged),
        ),
        Mistake(
            "unbiased",
            "The variance is the unbiased one, divided by one less than the size "
            "(`x.var(-1)`); layer normalisation divides by the size.",
            _compact_like(_unbiased),
        ),
        Mistake(
            "rms",
            "The mean is not subtracted: that is RMSNorm. Layer normalisation is asked for.",
            _compact_like(_rms),
        ),
        Mistake(
            "activated",
            "An activation was applied to the result; the projection is a plain linear map.",
            _compact_like(_activated),
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but a `detach` or `no_grad` cuts the tables off from autograd, "
            "so nothing could be learned.",
            _compact_like(_cut_off),
            same_results=(_compact_like(_detached),),
            points=3,
        ),
        Mistake(
            "wide_norm",
            "The normalisation has `hidden_size` numbers; it stands before the projection and has "
            "`embedding_size`.",
            _compact_like(build=_wide_norm),
        ),
        Mistake(
            "wide_tables",
            "The tables have `hidden_size` columns; the point of this block is that they have only "
            "`embedding_size`, and a projection follows.",
            _compact_like(build=_wide_tables),
        ),
        Mistake(
            "parameter_table",
            "The table of positions has another name or is no module: `position_embeddings.weight` "
            "is asked for, as `nn.Embedding` calls it.",
            _compact_like(build=_parameter_tables),
        ),
        Mistake(
            "no_tables",
            "The three tables are not found: they are kept in a Python list, or have other names.",
            _compact_like(build=_tables_in_list),
        ),
        Mistake(
            "no_projection",
            "There is no `projection`, an `nn.Linear` from `embedding_size` to `hidden_size`.",
            _compact_like(build=_no_linear),
        ),
        Mistake(
            "bare_projection",
            "The projection was made without a bias.",
            _compact_like(build=_bare_linear),
        ),
        Mistake(
            "changed_ids",
            "The numbers are right, but ids that were given are changed in place; the caller still "
            "needs them.",
            _ChangesIds,
        ),
    ),
)


# ---- Exercise 4: RepairedEncoder ---------------------------------------------------------------


def _repaired(made: Made = NONE) -> type[nn.Module]:
    """The module of the exercise; its five bugs are five of the mistakes to order."""

    class RepairedEncoder(nn.Module):
        def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
            super().__init__()
            activation = "relu" if "relu" in made else F.gelu
            if "tanh_form" in made:
                activation = nn.GELU(approximate="tanh")
            arrangement = pre_norm and "always_post" not in made
            if "arrangements_exchanged" in made:
                arrangement = not pre_norm
            if "always_pre" in made:
                arrangement = True
            eps = 1e-12 if "eps_of_bert" in made else 1e-5

            def layer():
                return nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, 0.1, activation, eps, batch_first=True,
                    norm_first=arrangement,
                )  # fmt: skip

            one = layer()
            self.layers = nn.ModuleList(
                one if "shared" in made else layer() for _ in range(num_layers)
            )
            self.pre_norm = pre_norm
            self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
            if made & {"eps_of_bert", "final_eps_of_bert"} and pre_norm:
                self.final_norm.eps = 1e-12

        def forward(self, x, attention_mask=None):
            if "alive" in made:
                self.train()
            mask = None
            if attention_mask is not None and "mask_ignored" not in made:
                mask = attention_mask == (1 if "inverted" in made else 0)
                if "added" in made:
                    mask = attention_mask.float()
                if "padding_added" in made:
                    mask = 1.0 - attention_mask
                if "all_hidden" in made:
                    mask = torch.ones_like(mask)
                if "whole_numbers" in made:
                    mask = 1 - attention_mask
            pairs = None
            if mask is not None and "query_axis" in made:
                heads = self.layers[0].self_attn.num_heads
                pairs = mask[:, :, None].expand(-1, -1, x.size(1)).repeat_interleave(heads, dim=0)
                mask = None
            if "square_mask" in made:
                pairs, mask = mask, None
            if "final_norm_first" in made:
                x = self.final_norm(x)
            if "pads_zero_once" in made and mask is not None:
                x, mask = x.masked_fill(mask[..., None], 0.0), None
            states, later = [x], mask
            if "last_only" in made:
                mask = None
            layers = list(self.layers)
            for layer in layers[::-1] if "reversed" in made else layers:
                if "last_only" in made and layer is layers[-1]:
                    mask = later
                new = layer(x, src_mask=pairs, src_key_padding_mask=mask)
                if "added_again" in made:
                    new = x + new
                if made & {"norm_each", "norm_each_and_again"}:
                    new = self.final_norm(new)
                if "not_chained" not in made:
                    x = new
                states.append(new)
                if "first_only" in made:
                    mask = pairs = None
            output = states[-2 if "one_short" in made else -1]
            if made & {"no_final_norm", "norm_each", "final_norm_first"}:
                return output
            return self.final_norm(output)

    return RepairedEncoder


_RepairedEncoder = _repaired()


def _stack_cases(generator: torch.Generator) -> list[Case]:
    def draw(layers, pre_norm, batch=3, tokens=5, padded=True, small=False):
        heads, size = _one_of(generator, (2, 3), (3, 2), (2, 4))
        hidden = heads * size
        width = hidden + 5
        state = {}

        def add(name, *shape, size, middle=0.0):
            state[name] = middle + _normal(generator, *shape, size=size)

        def add_norm(name):
            add(f"{name}.weight", hidden, size=0.3, middle=1.2)
            add(f"{name}.bias", hidden, size=0.5)

        for i in range(layers):
            start = f"layers.{i}"
            scale = 1.1 / math.sqrt(hidden)
            add(f"{start}.self_attn.in_proj_weight", 3 * hidden, hidden, size=1.3 * scale)
            add(f"{start}.self_attn.in_proj_bias", 3 * hidden, size=0.4)
            add(f"{start}.self_attn.out_proj.weight", hidden, hidden, size=scale)
            add(f"{start}.self_attn.out_proj.bias", hidden, size=0.4)
            add(f"{start}.linear1.weight", width, hidden, size=scale)
            add(f"{start}.linear1.bias", width, size=0.4)
            add(f"{start}.linear2.weight", hidden, width, size=scale)
            add(f"{start}.linear2.bias", hidden, size=0.4)
            add_norm(f"{start}.norm1")
            add_norm(f"{start}.norm2")
        if pre_norm:
            add_norm("final_norm")
        x = _normal(generator, batch, tokens, hidden, size=1.5)
        if small:  # variances about as small as ε
            x = x / 500
            for name in state:
                if "out_proj" in name or "linear2" in name:
                    state[name] = state[name] / 500
        mask = None
        if padded:
            lengths = _lengths(generator, batch, tokens)
            mask = _real_places(lengths, tokens, left=False).long()
        return [hidden, heads, width, layers, pre_norm], state, x, mask

    def case(title, part, drawn, driver=drivers.at_real_tokens):
        names = ("init", "state", "x", "attention_mask")
        return Case(title, part, tuple(zip(names, drawn, strict=True)), driver=driver)

    whole = draw(2, False, batch=2, tokens=4)
    whole[-1][0] = 1  # a text without padding beside one with padding
    return [
        case("three layers, without a mask", "core", draw(3, False, batch=2, padded=False)),
        case("three layers, a padded batch", "core", draw(3, False)),
        case("one layer, a batch of one", "core", draw(1, False, batch=1, tokens=4)),
        case("very small numbers", "core", draw(1, False, batch=1, tokens=3, small=True)),
        case("one text without padding, one with", "core", whole),
        case(
            "other numbers in the rows of padding",
            "core",
            draw(2, False, tokens=6),
            drivers.change_padding,
        ),
        case("pre-norm, without a mask", "pre", draw(3, True, batch=2, padded=False)),
        case("pre-norm, a padded batch", "pre", draw(2, True, tokens=4)),
        case("pre-norm, very small numbers", "pre", draw(1, True, batch=1, tokens=3, small=True)),
        case("gradients", "trained", draw(2, True, batch=2, tokens=4), drivers.gradients_of_stack),
    ]


class _ByHand(nn.Module):
    """Every sublayer by hand; only the parameters are PyTorch's."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.Module()
            layer.self_attn = nn.MultiheadAttention(hidden_size, num_heads)
            layer.linear1 = nn.Linear(hidden_size, width)
            layer.linear2 = nn.Linear(width, hidden_size)
            layer.norm1, layer.norm2 = nn.LayerNorm(hidden_size), nn.LayerNorm(hidden_size)
            self.layers.append(layer)
        self.heads, self.pre_norm = num_heads, pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def attend(self, attention, x, mask):
        packed = F.linear(x, attention.in_proj_weight, attention.in_proj_bias)
        query, key, value = packed.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores + (1 - mask[:, None, None].to(scores.dtype)) * -1e9
        return attention.out_proj((scores.softmax(-1) @ value).transpose(1, 2).flatten(2))

    def forward(self, x, attention_mask=None):
        for layer in self.layers:
            if self.pre_norm:
                x = x + self.attend(layer.self_attn, layer.norm1(x), attention_mask)
                x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x))))
            else:
                x = layer.norm1(x + self.attend(layer.self_attn, x, attention_mask))
                x = layer.norm2(x + layer.linear2(F.gelu(layer.linear1(x))))
        return self.final_norm(x) if self.pre_norm else x


class _CopiedLayers(nn.Module):
    """PyTorch's stack, from which the layers are taken; the mask as numbers to add."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            hidden_size, num_heads, width, activation=nn.GELU(), norm_first=pre_norm
        )  # time first
        self.layers = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False).layers
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            mask = torch.zeros(attention_mask.shape).masked_fill(attention_mask == 0, -math.inf)
        x = x.transpose(0, 1)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        x = x.transpose(0, 1)
        return x if self.final_norm is None else self.final_norm(x)


class _TextByText(_RepairedEncoder):
    """Each text alone, without its padding."""

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            return super().forward(x)
        output = torch.zeros_like(x)
        for b, real in enumerate(attention_mask.bool()):
            output[b, real] = super().forward(x[b : b + 1, real])[0]
        return output


class _OfPyTorch(nn.Module):
    """`nn.TransformerEncoder` itself does the loop and the final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            copy.deepcopy(
                nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, 0.0, "gelu", batch_first=True,
                    norm_first=pre_norm,
                )
            )
            for _ in range(num_layers)
        )  # fmt: skip
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None

    def forward(self, x, attention_mask=None):
        stack = nn.TransformerEncoder(self.layers[0], 0, self.final_norm, False)
        stack.layers, stack.num_layers = self.layers, len(self.layers)
        stack.train(self.training)
        padding = None if attention_mask is None else attention_mask.logical_not()
        return stack(x, src_key_padding_mask=padding)


def _stack_like(forward: Callable | None = None, build: Callable | None = None) -> type:
    """The right parameters, or those of ``build``, with another ``forward(module, x, mask)``."""

    class RepairedEncoder(_RepairedEncoder):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            if build is not None:
                build(self, *sizes)

        def forward(self, x, attention_mask=None):
            if forward is None:
                return super().forward(x, attention_mask)
            return forward(self, x, attention_mask)

    return RepairedEncoder


def _right_stack(module: nn.Module, x: Tensor, mask: Tensor | None) -> Tensor:
    return _RepairedEncoder.forward(module, x, mask)


def _returns_states(module, x, mask):
    return _right_stack(module, x, mask), x


def _returns_list(module, x, mask):
    return [x, _right_stack(module, x, mask)]


def _first_layer_alone(module, x, mask):
    padding = None if mask is None else mask == 0
    return module.final_norm(module.layers[0](x, src_key_padding_mask=padding))


def _runs_in_place(module, x, mask):
    output = _right_stack(module, x, mask)
    with torch.no_grad():
        x.copy_(output)
    return output


def _pads_set_to_zero(module, x, mask):
    """Zero the rows of padding in front of each layer, and let them be looked at."""
    for layer in module.layers:
        x = layer(x if mask is None else x * mask[..., None])
    return module.final_norm(x)


def _mask_needed(module, x, mask):
    return _right_stack(module, x, mask.bool())


def _first_mask(module, x, mask):
    return _right_stack(module, x, None if mask is None else mask[:1].expand_as(mask))


def _sublayers(forward: Callable) -> Callable:
    """A stack whose layers compute ``forward(layer, x, padding)``."""

    def run(module, x, mask):
        padding = None if mask is None else mask == 0
        for layer in module.layers:
            x = forward(layer, x, padding)
        return module.final_norm(x)

    return run


def _no_residual(layer, x, padding):
    if layer.norm_first:
        x = x + layer._sa_block(layer.norm1(x), None, padding)
        return layer._ff_block(layer.norm2(x))
    x = layer.norm1(x + layer._sa_block(x, None, padding))
    return layer.norm2(layer._ff_block(x))


def _list_of_layers(module, *sizes):
    layers = list(module.layers)
    del module.layers
    module.layers = layers


def _always_final_norm(module, hidden_size, *rest):
    module.final_norm = nn.LayerNorm(hidden_size)


def _named_norm(module, *sizes):
    if module.pre_norm:
        module.norm = module.final_norm
        del module.final_norm


def _no_norm_at_all(module, *sizes):
    module.final_norm = nn.Identity()


def _default_width(module, hidden_size, num_heads, width, num_layers, pre_norm):
    module.layers = nn.ModuleList(
        nn.TransformerEncoderLayer(hidden_size, num_heads, batch_first=True)
        for _ in range(num_layers)
    )


def _one_layer_less(module, *sizes):
    module.layers = module.layers[:-1]


def _time_first(module, *sizes):
    for layer in module.layers:
        layer.self_attn.batch_first = False


_BUGS = {
    "relu": "the activation is ReLU, the default of `nn.TransformerEncoderLayer`",
    "inverted": "`src_key_padding_mask` is True where a key is *hidden*, and real tokens are "
    "passed as True",
    "not_chained": "every layer is given the input of the stack",
    "one_short": "`hidden_states[-2]` is what went *into* the last layer",
    "no_final_norm": "with pre-norm, the final norm is made and never called",
}


def _several_left() -> list[Mistake]:
    """Three or more of the bugs still there; the engine itself makes pairs of them."""
    words = {3: "Three bugs are still there", 4: "Four bugs are still there"}
    words[5] = "Nothing is repaired: all five bugs are still there"
    mistakes = []
    for count, beginning in words.items():
        for left in combinations(_BUGS, count):
            reasons = "; ".join(_BUGS[bug] for bug in left)
            made = _repaired(frozenset(left))
            mistakes.append(Mistake("_and_".join(left), f"{beginning}: {reasons}.", made))
    return mistakes


REPAIRED_ENCODER = Exercise(
    id="RepairedEncoder",
    title="Bug hunt: a stack that forgets",
    signature="class RepairedEncoder(hidden_size, num_heads, width, num_layers, pre_norm)",
    reference=_RepairedEncoder,
    cases=_stack_cases,
    parts=(
        Part("core", "the post-norm stack, with a mask and without", 2),
        Part("pre", "the pre-norm stack", 1),
        Part("trained", "gradients for every parameter", 1),
    ),
    minutes=15,
    difficulty=2,
    section=_STACK,
    variant=_repaired,
    alternatives={
        "by hand": _ByHand,
        "layers of PyTorch's stack, time first, mask to add": _CopiedLayers,
        "text by text, without padding": _TextByText,
        "run by PyTorch's stack": _OfPyTorch,
    },
    mistakes=(
        Mistake(
            "relu",
            "One bug is still there: the activation is ReLU, the default of "
            "`nn.TransformerEncoderLayer`; ask for the exact GELU.",
            section=_TRAPS,
        ),
        Mistake(
            "inverted",
            "One bug is still there: `src_key_padding_mask` is True where a key is *hidden*, and "
            "real tokens are passed as True.",
            section=_PEER,
        ),
        Mistake(
            "not_chained",
            "One bug is still there: every layer is given the input of the stack; each must be "
            "given what the one before it returned.",
            section=_COMMON,
        ),
        Mistake(
            "one_short",
            "One bug is still there: `hidden_states[-2]` is what went *into* the last layer, so "
            "the last layer works for nothing.",
            section=_COMMON,
        ),
        Mistake(
            "no_final_norm",
            "One bug is still there: with pre-norm, the final norm is made and never called.",
            points=2,
            section=_PEER,
        ),
        *_several_left(),
        Mistake(
            "first_only",
            "Only the first layer gets the mask; in the others padding is looked at again.",
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "mask_ignored",
            "The mask is gone: padding is looked at like any token.",
            _repaired(frozenset({"mask_ignored"})),
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "query_axis",
            "The mask hides rows (the queries of padding) instead of columns (its keys).",
            _repaired(frozenset({"query_axis"})),
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "added",
            "The mask of ones and zeros is passed as floating point numbers, and so it is *added* "
            "to the scores and hides nothing.",
            _repaired(frozenset({"added"})),
            section=_COMMON,
        ),
        Mistake(
            "padding_added",
            "The mask is 1.0 for padding, as floating point numbers, which are *added* to the "
            "scores: padding gets more weight, not none. Pass booleans.",
            _repaired(frozenset({"padding_added"})),
            section=_COMMON,
        ),
        Mistake(
            "last_only",
            "Only the last layer gets the mask; in those before it padding is looked at.",
            _repaired(frozenset({"last_only"})),
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "all_hidden",
            "Every key is hidden. `~` of the whole numbers 0 and 1 gives −1 and −2, which are both "
            "True: make booleans first, or ask for `attention_mask == 0`.",
            _repaired(frozenset({"all_hidden"})),
            section=_COMMON,
        ),
        Mistake(
            "whole_numbers",
            "The mask is passed as whole numbers, which PyTorch refuses. `src_key_padding_mask` is "
            "boolean, True where a key is hidden: `attention_mask == 0`.",
            _repaired(frozenset({"whole_numbers"})),
            section=_COMMON,
        ),
        Mistake(
            "square_mask",
            "The mask was passed as `src_mask`, which is [queries, keys] and the same for all "
            "texts. Padding goes into `src_key_padding_mask`.",
            _repaired(frozenset({"square_mask"})),
            section=_PEER,
        ),
        Mistake(
            "pads_zero_once",
            "The vectors of padding are set to zero before the first layer instead of being "
            "masked: a zero vector still has a score of its own, and does not stay zero.",
            _repaired(frozenset({"pads_zero_once"})),
            section=_ON_ITS_WAY,
        ),
        Mistake(
            "always_pre",
            "`norm_first` is always true; it must be what `pre_norm` says.",
            _repaired(frozenset({"always_pre"})),
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "eps_of_bert",
            "The norms have another ε than PyTorch's default, 1e-5.",
            _repaired(frozenset({"eps_of_bert"})),
        ),
        Mistake(
            "final_eps_of_bert",
            "The final norm has another ε than PyTorch's default, 1e-5.",
            _repaired(frozenset({"final_eps_of_bert"})),
            points=3,
        ),
        Mistake(
            "shared",
            "All layers are one and the same object, so the weights of the last one serve all. "
            "Make a new layer for each place.",
            section=_COMMON,
        ),
        Mistake(
            "tanh_form",
            "The activation is the tanh form of GELU; the exact one is asked for "
            '(`activation="gelu"`).',
            _repaired(frozenset({"tanh_form"})),
            section="“How sharp is this test?” in chapter 6",
        ),
        Mistake(
            "always_post",
            "`pre_norm` is not passed on: every layer is post-norm.",
            _repaired(frozenset({"always_post"})),
            points=2,
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "arrangements_exchanged",
            "Post-norm and pre-norm are exchanged: the layers take `norm_first=pre_norm`.",
            _repaired(frozenset({"arrangements_exchanged"})),
            section="“Step 2: one layer” in chapter 6",
        ),
        Mistake(
            "norm_each",
            "The final norm is called after every layer; it belongs behind the last one, once.",
            _repaired(frozenset({"norm_each"})),
            points=2,
            section=_PEER,
        ),
        Mistake(
            "norm_each_and_again",
            "The final norm is called after every layer and once more at the end; it belongs "
            "behind the last layer, once.",
            _repaired(frozenset({"norm_each_and_again"})),
            points=2,
            section=_PEER,
        ),
        Mistake(
            "final_norm_first",
            "The final norm is called on what goes into the stack; it belongs behind the last "
            "layer.",
            _repaired(frozenset({"final_norm_first"})),
            points=2,
            section=_PEER,
        ),
        Mistake(
            "added_again",
            "The input of each layer is added to its result once more; the layers of PyTorch have "
            "their residual sums inside.",
            _repaired(frozenset({"added_again"})),
        ),
        Mistake(
            "reversed",
            "The layers run in the wrong order, the last one first.",
            _repaired(frozenset({"reversed"})),
        ),
        Mistake(
            "alive",
            "Dropout is alive although `eval()` was called: somewhere the module is switched back "
            "to training.",
            _repaired(frozenset({"alive"})),
            section=_TRAPS,
        ),
        Mistake(
            "first_layer_alone",
            "Only the first layer runs (a `return` inside the loop?).",
            _stack_like(_first_layer_alone),
        ),
        Mistake(
            "first_mask",
            "Every text is masked like the first one.",
            _stack_like(_first_mask),
            section=_ON_ITS_WAY,
        ),
        Mistake(
            "pads_set_to_zero",
            "The vectors of padding are set to zero instead of being masked: a zero vector still "
            "has a score of its own, and takes weight from the real tokens.",
            _stack_like(_pads_set_to_zero),
            section=_ON_ITS_WAY,
        ),
        Mistake(
            "mask_needed",
            "It fails without a mask; `attention_mask` may be left out.",
            _stack_like(_mask_needed),
            any_error=True,
        ),
        Mistake(
            "no_residual",
            "The second residual sum is missing in the layers: the feed-forward part must be added "
            "to what it was given.",
            _stack_like(_sublayers(_no_residual)),
            section=_TRAPS,
        ),
        Mistake(
            "returns_pair",
            "A pair was returned; return the last hidden states alone.",
            _stack_like(_returns_states),
        ),
        Mistake(
            "returns_list",
            "The list of all hidden states was returned; return the last one alone.",
            _stack_like(_returns_list),
        ),
        Mistake(
            "time_first",
            "`batch_first=True` is gone: tokens of different texts look at each other.",
            _stack_like(build=_time_first),
            section=_TRAPS,
            any_error=True,
        ),
        Mistake(
            "layers_missing",
            "The layers are not among the module's parameters: a module does not see what is kept "
            "in a Python list. Use `nn.ModuleList`.",
            _stack_like(build=_list_of_layers),
            section=_COMMON,
        ),
        Mistake(
            "one_layer_less",
            "One layer too few is made: there are `num_layers` of them.",
            _stack_like(build=_one_layer_less),
            section=_COMMON,
        ),
        Mistake(
            "default_width",
            "The layers have the default width of 2048; pass `width` on.",
            _stack_like(build=_default_width),
            section=_TRAPS,
        ),
        Mistake(
            "always_final_norm",
            "There is a final norm in the post-norm stack, too, where each layer ends with a norm "
            "already.",
            _stack_like(build=_always_final_norm),
        ),
        Mistake(
            "final_norm_missing",
            "There is no `final_norm` in the pre-norm stack: it was removed, where it should be "
            "called, or has another name than in the saved weights.",
            _stack_like(build=_no_norm_at_all),
            same_results=(_stack_like(build=_named_norm),),
            points=2,
        ),
        Mistake(
            "no_gradient",
            "The output is right, but it is cut off from autograd (`detach`, `no_grad`), so "
            "nothing could be learned.",
            _stack_like(lambda module, x, mask: _right_stack(module, x, mask).detach()),
            points=3,
        ),
        Mistake(
            "changed_input",
            "The output is right, but the input was changed in place; the caller still needs it.",
            _stack_like(_runs_in_place),
        ),
    ),
)


# ---- Exercise 5: test_encoder ------------------------------------------------------------------

_POST_NORM = """
HIDDEN, HEADS, WIDE, SEED = SIZES
generator = torch.Generator().manual_seed(SEED)


def normal(*shape):
    return torch.randn(*shape, generator=generator)


SHAPES = {
    "qkv": (HIDDEN, 3 * HIDDEN),
    "out": (HIDDEN, HIDDEN),
    "up": (HIDDEN, WIDE),
    "down": (WIDE, HIDDEN),
}
words, places, segments = normal(40, HIDDEN), normal(24, HIDDEN), normal(2, HIDDEN)
layers = [
    {name: normal(*shape) / shape[0] ** 0.5 for name, shape in SHAPES.items()} for _ in range(2)
]


def norm(x):
    return F.layer_norm(x, (HIDDEN,))


def attend(x, layer, keep):
    packed = (x @ layer["qkv"]).unflatten(-1, (3, HEADS, -1))
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~keep, -1e9)
    weights = scores.softmax(dim=-1)
    return (weights @ value).transpose(1, 2).flatten(2) @ layer["out"]


def NAME(input_ids, attention_mask, token_type_ids):
    keep = attention_mask.bool()[:, None, None, :]
    positions = torch.arange(input_ids.size(1))
    x = words[input_ids] + places[positions] + segments[token_type_ids]
    x = norm(x)
    for layer in layers:
        x = norm(x + attend(x, layer, keep))
        x = norm(x + F.gelu(x @ layer["up"]) @ layer["down"])
    return x
"""

_LOOP_END = _POST_NORM[_POST_NORM.index("    x = norm(x)\n    for") :]
_PRE_NORM = _POST_NORM.replace(
    _LOOP_END,
    """    for layer in layers:
        x = x + attend(norm(x), layer, keep)
        x = x + F.gelu(norm(x) @ layer["up"]) @ layer["down"]
    return norm(x) * (1 + places[0] / 4) + segments[0]
""",
)
_SINUSOIDS = (
    _POST_NORM.replace(
        "    x = words",
        "    angles = positions[:, None] / 100 ** (torch.arange(0, HIDDEN, 2) / HIDDEN)\n"
        "    waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)\n    x = words",
    )
    .replace("places[positions]", "2 * waves")
    .replace(
        "    scores = scores.masked_fill(~keep, -1e9)\n",
        "    scores = scores + torch.where(keep, 0.0, torch.finfo(torch.float32).min)\n",
    )
)
_GARBAGE = _POST_NORM.replace(
    "    return x\n", "    return x.masked_fill(attention_mask[..., None] == 0, 1234.5)\n"
)
_DOUBLE = _POST_NORM.replace("generator=generator)", "generator=generator).double()").replace(
    "    return x\n", "    return x.float()\n"
)
_BY_TEXT = (
    _POST_NORM.replace("def NAME(", "def whole(")
    + """

def NAME(input_ids, attention_mask, token_type_ids):
    result = torch.zeros(*input_ids.shape, HIDDEN)
    for i, real in enumerate(attention_mask.bool()):
        one = (t[i : i + 1, real] for t in (input_ids, attention_mask, token_type_ids))
        result[i, real] = whole(*one)[0]
    return result
"""
)
_LIBRARY = """
HIDDEN, HEADS, WIDE, SEED = SIZES
with torch.random.fork_rng():
    torch.manual_seed(SEED)
    words, places, segments = (nn.Embedding(n, HIDDEN).eval() for n in (40, 24, 2))
    layer = nn.TransformerEncoderLayer(HIDDEN, HEADS, WIDE, activation="gelu", batch_first=True)
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


@torch.no_grad()
def NAME(input_ids, attention_mask, token_type_ids):
    places_of = torch.arange(input_ids.size(1)).expand_as(input_ids)
    x = words(input_ids) + places(places_of) + segments(token_type_ids)
    return stack(x, src_key_padding_mask=attention_mask == 0)
"""

_FILL = "scores = scores.masked_fill(~keep, -1e9)"
_KEEP = "    keep = attention_mask.bool()[:, None, None, :]\n"
_ATTEND = "x = norm(x + attend(x, layer, keep))"
_END = "    return x\n"
_ALL = "keep = torch.ones_like(attention_mask).bool()[:, None, None, :]"

_Ways = list[dict[str, str]]  # each way replaces pieces of the right source
_WRONG: list[tuple[str, str, _Ways]] = [
    (
        "padding is looked at",
        "core",
        [{_FILL: "pass"}, {_KEEP: f"    {_ALL}\n"}],
    ),
    (
        "the mask lies on the query axis",
        "core",
        [
            {"[:, None, None, :]": "[:, None, :, None]"},
            {"~keep": "~keep.transpose(-2, -1)"},
        ],
    ),
    (
        "the mask of ones and zeros is added",
        "core",
        [{_FILL: "scores = scores + keep.float()"}, {_FILL: "scores = scores - 1.0 * ~keep"}],
    ),
    (
        "no positions",
        "core",
        [{" + places[positions]": ""}, {"places[positions]": "places[positions * 0]"}],
    ),
    (
        "segments are ignored",
        "core",
        [{" + segments[token_type_ids]": ""}, {"[token_type_ids]": "[token_type_ids * 0]"}],
    ),
    (
        "dropout is alive",
        "core",
        [
            {"weights @ value": "F.dropout(weights, 0.3) @ value"},
            {"    x = norm(x)\n": "    x = F.dropout(norm(x), 0.2)\n"},
            {"attend(x, layer, keep))": "F.dropout(attend(x, layer, keep), 0.3))"},
        ],
    ),
    (
        "only the first layer gets the mask",
        "mask",
        [
            {_ATTEND: f"{_ATTEND}; {_ALL}"},
            {"+ attend(x, layer, keep)": "+ attend(x, layer, keep | (layer is not layers[0]))"},
        ],
    ),
    (
        "the last layer does not get the mask",
        "mask",
        [{"+ attend(x, layer, keep)": "+ attend(x, layer, keep | (layer is layers[-1]))"}],
    ),
    (
        "all texts get the mask of the first",
        "mask",
        [
            {_KEEP: f"{_KEEP}    keep = keep[:1]\n"},
            {_KEEP: f"{_KEEP}    keep = keep[:1].expand_as(keep)\n"},
        ],
    ),
    (
        "in the last layer the mask holds for the first vector only",
        "mask",
        [
            {
                "+ attend(x, layer, keep)": "+ attend(x, layer, keep if layer is layers[0] else "
                "keep | (positions > 0)[:, None])"
            }
        ],
    ),
    (
        "in the last layer the mask holds for the last word only",
        "mask",
        [
            {
                "+ attend(x, layer, keep)": "+ attend(x, layer, keep if layer is layers[0] else "
                "keep | (positions + 1 < attention_mask.sum(1, keepdim=True))[:, None, :, None])"
            }
        ],
    ),
    (
        "padding of the shortest text is looked at",
        "mask",
        [
            {
                _KEEP: f"{_KEEP}    words_of = attention_mask.sum(1)[:, None, None, None]\n"
                "    keep = keep | (words_of == words_of.min()) & (words_of.max() > "
                "words_of.min())\n"
            }
        ],
    ),
    (
        "weights of padding are zeroed after the softmax",
        "mask",
        [{_FILL: "pass", "softmax(dim=-1)": "softmax(dim=-1) * keep"}],
    ),
    (
        "padding is hidden a little",
        "mask",
        [
            {_FILL: "scores = scores + torch.where(keep, 0.0, -7.0)"},
            {_FILL: "scores = scores - 7.0 * ~keep"},
        ],
    ),
    (
        "vectors of padding are set to zero, not hidden",
        "mask",
        [
            {_FILL: "pass", _ATTEND: f"x = x * attention_mask[..., None]; {_ATTEND}"},
            {_FILL: "pass", '(x @ layer["qkv"])': '(x @ layer["qkv"] * keep[:, 0].mT)'},
        ],
    ),
    (
        "what comes later is hidden",
        "context",
        [
            {_KEEP: f"{_KEEP}    keep = keep & (positions <= positions[:, None])\n"},
        ],
    ),
    (
        "what came before is hidden",
        "context",
        [
            {_KEEP: f"{_KEEP}    keep = keep & (positions >= positions[:, None])\n"},
        ],
    ),
    (
        "only neighbours are looked at",
        "context",
        [
            {_KEEP: f"{_KEEP}    keep = keep & ((positions - positions[:, None]).abs() < 3)\n"},
        ],
    ),
    (
        "nobody looks at anybody",
        "context",
        [
            {_ATTEND: 'x = norm(x + x @ layer["out"])'},
            {_KEEP: f"{_KEEP}    keep = keep & (positions == positions[:, None])\n"},
        ],
    ),
    (
        "the last token, or the first, is never looked at",
        "context",
        [
            {_KEEP: _KEEP.replace("attention_mask", "F.pad(attention_mask[:, 1:], (0, 1))")},
            {_KEEP: f"{_KEEP}    keep = keep & (positions > 0)\n"},
        ],
    ),
    (
        "texts of a batch mix",
        "context",
        [
            {_END: "    return x + 0.3 * x.mean(dim=0, keepdim=True)\n"},
            {"[positions] +": "[torch.arange(len(input_ids))][:, None] + places[positions] +"},
            {"weights @ value": "weights.mean(dim=0, keepdim=True) @ value"},
            {"norm(x)\n    for": "norm(x - x.mean(dim=0, keepdim=True) / 2)\n    for"},
        ],
    ),
    (
        "arguments are changed in place",
        "context",
        [
            {_END: "    token_type_ids.zero_()\n    return x\n"},
            {_END: "    attention_mask.fill_(1)\n    return x\n"},
            {_END: "    input_ids *= attention_mask\n    input_ids += 1\n    return x\n"},
        ],
    ),
    (
        "the ids of padding are changed in place",
        "context",
        [{_END: f"    input_ids[attention_mask == 0] = {n}\n    return x\n"} for n in (1, 7)],
    ),
]
for _, _, _ways in _WRONG:  # `keep` by positions needs them first
    for _way in _ways:
        for _old, _new in list(_way.items()):
            if _old == _KEEP and "positions" in _new:
                _line = "    positions = torch.arange(input_ids.size(1))\n"
                _way.clear()
                _way.update({_line: "", _KEEP: _line + _new})

_ACCEPTED = {
    "post-norm": _POST_NORM,
    "pre-norm": _PRE_NORM,
    "sines, and a mask that is added": _SINUSOIDS,
    "PyTorch's stack": _LIBRARY,
    "text by text": _BY_TEXT,
    "other numbers in the rows of padding": _GARBAGE,
    "in float64": _DOUBLE,
}


def _changed_source(changes: dict[str, str]) -> str:
    source = _POST_NORM
    for old, new in changes.items():
        assert old in source, old
        source = source.replace(old, new, 1)
    return source


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str) -> Case:
        name = _one_of(generator, "encode", "encoder", "encode_batch")
        heads, size = _one_of(generator, (2, 6), (3, 4), (2, 8), (4, 4))
        seed = int(torch.randint(10_000, (), generator=generator))
        sizes = f"{heads * size}, {heads}, {heads * size + 7}, {seed}"
        source = source.strip().replace("NAME", name).replace("SIZES", sizes) + "\n"
        return Case(title, part, (("name", name), ("source", source)), driver=check.run_test)

    accepted = [case(f"right: {title}", "core", source) for title, source in _ACCEPTED.items()]
    rejected = [
        case(f"wrong: {title}", part, _changed_source(_one_of(generator, *ways)))
        for title, part, ways in _WRONG
    ]
    return accepted + rejected


def _texts(lengths: tuple[int, ...], longer: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Draw texts of these lengths, padded: ids, mask and segments."""
    generator = torch.Generator().manual_seed(3)
    tokens = max(lengths) + longer
    mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape, generator=generator) * mask
    types = torch.randint(0, 2, mask.shape, generator=generator) * mask
    return ids, mask, types


def _examination(weak: Made = NONE) -> Callable:
    """A test of encoders, weak in the ways that are named."""
    near = 10.0 if "loose" in weak else 0.0 if "exact" in weak else 1e-4
    lengths = (3, 1) if "short_texts" in weak else (9, 4, 1)

    longer = 0 if "unpadded" in weak else 2 if "short_texts" in weak else 3
    compared = slice(None)  # which vectors of a text
    if "first_vector" in weak:
        compared = slice(0, 1)
    elif "last_vector" in weak:
        compared = slice(-1, None)

    def same(one: Tensor, other: Tensor) -> bool:
        return bool((one - other)[..., compared, :].abs().max() <= near)

    def check_padding(encode: Callable) -> None:
        ids, mask, types = _texts((9, 9) if "unpadded" in weak else lengths, longer=longer)
        ones = torch.ones_like(mask)
        together = None
        if "padded_alone" not in weak:
            together = encode(ids, ones if "mask_of_ones" in weak else mask, types)
        if "padding_is_zero" in weak:
            assert not encode(ids, mask, types)[mask == 0].any()
        for i, length in enumerate(mask.sum(dim=1).tolist()):
            if "longest_texts" in weak and i == 2:
                continue
            row = slice(i, i + 1)
            alone = encode(ids[row, :length], mask[row, :length], types[row, :length])[0]
            if "padded_alone" in weak:
                padded = encode(ids[row], mask[row], types[row])[0]
            else:
                padded = together[i]
            if "padding_compared" in weak:
                repeated = (t[row].clone() for t in (ids, mask, types))
                assert same(encode(*repeated)[0].mean(0, True), alone.mean(0, True))
            assert same(padded[:length], alone)

    def check_order(encode: Callable) -> None:
        ids, mask, types = _texts(lengths[:1])
        types = torch.zeros_like(types)
        order = torch.arange(ids.size(1)).roll(1)
        one, other = encode(ids, mask, types)[:, order], encode(ids[:, order], mask, types)
        assert not torch.allclose(one, other, atol=1e-3)

    def check_segments(encode: Callable) -> None:
        ids, mask, types = _texts(lengths[:1])
        one, other = encode(ids, mask, types * 0), encode(ids, mask, types * 0 + 1)
        assert not torch.allclose(one, other, atol=1e-3)

    def check_context(encode: Callable) -> None:
        ids, mask, types = _texts(lengths[:1])
        before = encode(ids, mask, types)[0]
        count = ids.size(1)
        places = [0, count - 1]
        if "first_word_only" in weak:
            places = [0]
        if "last_word_only" in weak:
            places = [count - 1]
        for place in places:
            changed = ids.clone()
            changed[0, place] = changed[0, place] % 39 + 1
            moved = (encode(changed, mask, types)[0] - before).abs().amax(dim=-1) > 1e-5
            if "next_word_only" in weak:
                moved = moved[max(0, place - 1) : place + 2]
            if "its_own_only" in weak:
                moved = moved[place]
            if "one_moves" in weak:
                moved = moved.any()
            if "first_moves" in weak:
                moved = moved[0]
            if "last_moves" in weak:
                moved = moved[-1]
            assert moved.all()

    def check_twice(encode: Callable) -> None:
        batch = _texts(lengths)
        real = batch[1].bool()
        assert torch.equal(encode(*batch)[real], encode(*batch)[real])

    def check_arguments(encode: Callable) -> None:
        batch = _texts(lengths)
        copies = [tensor.clone() for tensor in batch]
        encode(*copies)
        assert all(map(torch.equal, copies, batch))

    def test_encoder(encode):
        def on_copies(*batch: Tensor) -> Tensor:
            return encode(*(tensor.clone() for tensor in batch))

        for name, look in (
            ("padding", check_padding),
            ("order", check_order),
            ("segments", check_segments),
            ("context", check_context),
            ("twice", check_twice),
            ("arguments", check_arguments),
        ):
            if f"no_{name}" not in weak:
                look(encode if name == "arguments" or "no_copies" in weak else on_copies)

    return test_encoder


_ALL_CHECKS = frozenset(
    {"no_padding", "no_order", "no_segments", "no_context", "no_twice", "no_arguments"}
)


def _only(*checks: str, also: tuple[str, ...] = ()) -> Callable:
    """A test that makes these checks and no others."""
    return _examination(_ALL_CHECKS - {f"no_{name}" for name in checks} | set(also))


def _compact_test(encode):
    """Everything about one text of eight words, beside others and alone; plain `raise`."""
    torch.manual_seed(1)
    ids = torch.randint(1, 40, (3, 12))
    mask = torch.ones(3, 12, dtype=torch.long)
    mask[0, 8:] = mask[2, 3:] = 0
    types = (torch.arange(12) > 4).long().expand(3, -1).clone()
    given = [t.clone() for t in (ids, mask, types)]
    with torch.no_grad():
        whole = encode(*given)[0, :8]
        if any((a != b).any() for a, b in zip(given, (ids, mask, types), strict=True)):
            raise RuntimeError("changed")

        def alone(words, segments):
            count = words.numel()
            return encode(words[None], torch.ones(1, count).long(), segments[None])[0]

        words, segments = ids[0, :8], types[0, :8]
        right = alone(words, segments)
        if not torch.allclose(whole, right, atol=1e-4):
            raise RuntimeError("padding")
        third = encode(ids, mask, types)[2, :3]
        if not torch.allclose(third, alone(ids[2, :3], types[2, :3]), atol=1e-4):
            raise RuntimeError("padding")
        if (alone(words, 1 - segments) - right).abs().max() < 1e-3:
            raise RuntimeError("segments")
        if (alone(words[:1].repeat(2), segments[:1].repeat(2)).diff(dim=0)).abs().max() < 1e-3:
            raise RuntimeError("positions")
        for place in (0, 7):
            other = words.clone()
            other[place] = 1 + other[place] % 39
            if (alone(other, segments) - right).abs().amax(-1).min() < 1e-6:
                raise RuntimeError("context")


def _many_batches(encode):
    """Many random batches, each text compared alone; contexts by truncation."""
    for seed in range(4):
        generator = torch.Generator().manual_seed(seed)
        lengths = (torch.randperm(8, generator=generator)[:3] + 6).tolist()
        rows = [torch.randint(1, 40, (n,), generator=generator) for n in lengths]
        kinds = [(torch.arange(n) > n // 2).long() for n in lengths]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        types = nn.utils.rnn.pad_sequence(kinds, batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones_like(r) for r in rows], batch_first=True)
        was = ids.clone(), mask.clone(), types.clone()
        found = encode(ids, mask, types)
        for now, then in zip((ids, mask, types), was, strict=True):
            torch.testing.assert_close(now, then)
        for row, kind, result in zip(rows, kinds, found, strict=True):
            n = len(row)
            ones = torch.ones(1, n, dtype=torch.long)
            alone = encode(row[None].clone(), ones.clone(), kind[None].clone())[0]
            torch.testing.assert_close(result[:n], alone, atol=1e-4, rtol=1e-4)
            flat = encode(row[None].clone(), ones.clone(), kind[None] * 0)[0]
            assert (flat - alone).abs().max() > 1e-2
            order = torch.cat([torch.arange(2, n), torch.tensor([0, 1])])
            turned = encode(row[order][None], ones.clone(), kind[None] * 0)[0]
            assert (turned - flat[order]).abs().max() > 1e-2
            for change in (slice(0, 1), slice(n - 1, n)):
                other = row.clone()
                other[change] = 40 - other[change]
                if torch.equal(other, row):
                    continue
                moved = encode(other[None], ones.clone(), kind[None].clone())[0] - alone
                assert (moved.abs().max(dim=1).values > 1e-6).all()


def _says_false(encode):
    try:
        _examination()(encode)
    except AssertionError:
        return False
    return True


def _swallows(encode):
    try:
        _examination()(encode)
    except AssertionError as error:
        str(error)


def _shape_only(encode):
    ids, mask, types = _texts((5, 3))
    assert encode(ids, mask, types).shape[:2] == (2, 5)


def _wrong_call(encode):
    encode(_texts((5, 3))[0])


TEST_ENCODER = Exercise(
    id="test_encoder",
    title="Write the test that catches it",
    signature="test_encoder(encode)",
    reference=_examination(),
    cases=_test_cases,
    parts=(
        Part("core", "right encoders pass; mask, positions, segments and dropout are seen", 2),
        Part("mask", "masks that hold only in part are seen", 1),
        Part("context", "who sees whom, whole batches, changed arguments", 1),
    ),
    minutes=30,
    difficulty=3,
    section=_COMMON,
    variant=_examination,
    alternatives={
        "one text in three ways, with raise": _compact_test,
        "random batches": _many_batches,
        "other lengths": lambda encode: _examination()(encode) or _only("padding", "twice")(encode),
        "a class with methods": lambda encode: [
            _only(name)(encode)
            for name in ("segments", "twice", "arguments", "context", "order", "padding")
        ],
    },
    mistakes=(
        Mistake(
            "says_nothing",
            "The test accepts every encoder. Shapes alone say nothing, so compare numbers; and "
            "the exception of a failed `assert` must get out of the test.",
            _shape_only,
            same_results=(_swallows,),
        ),
        Mistake(
            "says_false",
            "The test returns True or False. What it returns is not looked at: it must raise an "
            "exception (`assert`).",
            _says_false,
        ),
        Mistake(
            "rejects_everything",
            "The test rejects every encoder, right ones too. Either it fails by itself (call "
            "`encode(input_ids, attention_mask, token_type_ids)` with ids from 1 to 39), or it "
            "asks for what is not promised: equal rows of *padding*, or equal results where a "
            "padded batch has a mask of ones.",
            _wrong_call,
            same_results=(
                _examination(frozenset({"padding_compared"})),
                _examination(frozenset({"mask_of_ones"})),
            ),
        ),
        Mistake(
            "exact",
            "Right encoders are rejected. Either rows of padding are compared, which may hold "
            "anything, or numbers must be equal to the last digit: with padding, sums are added in "
            "another order. Compare the rows of words, to 0.0001.",
            _examination(frozenset({"exact"})),
        ),
        Mistake(
            "no_padding",
            "A text is never compared with itself in a batch where it is padded, so no mask has "
            "anything to hide; or the tolerance is so wide that nothing is seen (ask for 0.0001). "
            "“Alone = in batch” is the most useful test of an encoder.",
            _examination(frozenset({"no_padding"})),
            same_results=(_examination(frozenset({"loose"})),),
        ),
        Mistake(
            "no_order",
            "Encoders without positions get through: shuffle the words, or repeat one, and see "
            "that more happens than a shuffle of the vectors.",
            section=_ORDER,
        ),
        Mistake(
            "no_segments",
            "Encoders that ignore the segments get through: encode the same ids with other "
            "`token_type_ids`.",
            section=_TYPES,
        ),
        Mistake(
            "padded_alone",
            "What happens between the texts of a batch, such as the mask of the first one for all, "
            "is not seen: texts are padded one at a time, or only the first one is compared.",
            points=2,
            section=_ON_ITS_WAY,
        ),
        Mistake(
            "no_context",
            "Encoders in which tokens do not see all others get through: change one word, and "
            "*every* vector of its text must move, before and behind.",
            same_results=(_examination(frozenset({"one_moves"})),),
            points=3,
            section="“The plan” in chapter 6",
        ),
        Mistake(
            "first_word_only",
            "An encoder that looks only back gets through. Change the *last* word of a text as "
            "well, and look at every vector, the first one, too.",
            _examination(frozenset({"first_word_only"})),
            same_results=(_examination(frozenset({"last_moves"})),),
            points=3,
            section="“The plan” in chapter 6",
        ),
        Mistake(
            "last_word_only",
            "An encoder that looks only ahead gets through. Change the *first* word of a text as "
            "well, and look at every vector, the last one, too.",
            _examination(frozenset({"last_word_only"})),
            same_results=(_examination(frozenset({"first_moves"})),),
            points=3,
            section="“The plan” in chapter 6",
        ),
        Mistake(
            "first_vector",
            "Only the first vector of each text is compared with the text alone, and a mask may "
            "hold for that one and not for others. Compare the rows of all words.",
            _examination(frozenset({"first_vector"})),
            points=3,
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "last_vector",
            "Only the last vector of each text is compared with the text alone, and a mask may "
            "hold for that one and not for others. Compare the rows of all words.",
            _examination(frozenset({"last_vector"})),
            points=3,
            section=_NOT_ARRIVED,
        ),
        Mistake(
            "longest_texts",
            "Not every text of the batch is compared with itself alone. A mask may hold for some "
            "and not for others: compare all of them.",
            _examination(frozenset({"longest_texts"})),
            points=3,
            section=_ON_ITS_WAY,
        ),
        Mistake(
            "unpadded",
            "All texts of the batch are equally long, so there is no padding, and no mask has "
            "anything to hide. Take different lengths.",
            _examination(frozenset({"unpadded"})),
        ),
        Mistake(
            "padding_is_zero",
            "Rows of padding are expected to be zero; they may hold anything. Look at the rows of "
            "words only.",
            _examination(frozenset({"padding_is_zero"})),
        ),
        Mistake(
            "near_only",
            "Encoders in which only neighbours see each other get through: take a text of eight "
            "words or more, change one word, and look at all vectors, also the far ones.",
            _examination(frozenset({"next_word_only"})),
            same_results=(_examination(frozenset({"short_texts"})),),
            points=3,
            section="“The plan” in chapter 6",
        ),
        Mistake(
            "no_arguments",
            "The test does not see that its arguments are changed: keep copies and compare "
            "afterwards.",
            points=3,
        ),
        Mistake(
            "no_copies",
            "Changed arguments are seen only where they lead to other results: ids that are "
            "overwritten at padding get through. Keep *clones*; a second name for the same tensor "
            "changes with it.",
            _examination(frozenset({"no_copies", "no_arguments"})),
            points=3,
        ),
        Mistake(
            "only_padding",
            "“Alone = in batch” is tested and nothing else. It does not need positions, nor "
            "segments, nor that tokens see each other.",
            _only("padding"),
        ),
        Mistake(
            "only_twice",
            "The test asks for the same result twice and nothing else; only chance is caught.",
            _only("twice"),
        ),
        Mistake(
            "only_order",
            "Only positions are tested.",
            _only("order"),
        ),
        Mistake(
            "only_segments",
            "Only segments are tested.",
            _only("segments"),
        ),
        Mistake(
            "only_arguments",
            "The test looks at its arguments and at nothing else; look at the result.",
            _only("arguments"),
        ),
        Mistake(
            "no_order_no_segments",
            "Neither positions nor segments are tested: change the order of the words, and change "
            "`token_type_ids`.",
            _examination(frozenset({"no_order", "no_segments"})),
        ),
        Mistake(
            "output_alone",
            "Whether tokens see each other is not tested, nor whether arguments are changed.",
            _examination(frozenset({"no_context", "no_arguments"})),
            points=3,
        ),
    ),
)


EXERCISES = [
    ADDITIVE_MASK,
    REGROUPED_BERT,
    COMPACT_EMBEDDINGS,
    REPAIRED_ENCODER,
    TEST_ENCODER,
]
