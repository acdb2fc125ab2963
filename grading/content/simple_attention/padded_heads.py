"""Padding under many heads."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import draw_sizes
from grading.content.simple_attention.sections import MASKS, ROOT, SOFTMAX
from grading.content.simple_attention.shared import draw_more_keys, draw_small_integers, normal
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.simple_attention import attention_weights, scaled_dot_product_attention


def _padded_heads(query, key, value, attention_mask=None):
    mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    return scaled_dot_product_attention(query, key, value, mask)


def scaled_scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))


def _broken_padded_heads(hide=None, weigh=None, scale=None, none=None):
    """Build a wrong implementation out of the step that is wrong.

    ``hide(scores, keep)`` and ``weigh(scores, keep)`` get the padding mask as booleans
    ``[batch, 1, 1, keys]``, True for tokens that may be seen.
    """

    def implementation(query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / (scale or _root_d_k)(query, value)
        if attention_mask is None:
            weights = scores.softmax(-1) if none is None else none(scores)
        else:
            keep = attention_mask.bool()[:, None, None, :]
            weights = weigh(scores, keep) if weigh else hide(scores, keep).softmax(-1)
        return weights @ value

    return implementation


def _root_d_k(query: Tensor, value: Tensor) -> float:
    return math.sqrt(query.size(-1))


def _hide(scores: Tensor, keep: Tensor) -> Tensor:
    """The right way to hide, and the right answer when everything is hidden."""
    empty = ~keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & ~empty, -math.inf)


def masked_weights(scores: Tensor, keep: Tensor) -> Tensor:
    return _hide(scores, keep).softmax(-1) * keep.any(-1, keepdim=True)


def _filled(fill: float):
    return _broken_padded_heads(lambda scores, keep: scores.masked_fill(~keep, fill))


def padded_mask(generator: torch.Generator, batch: int, keys: int, left: bool = False) -> Tensor:
    """Ones for tokens and zeros for padding: every sentence has another length, one is full."""
    lengths = torch.randperm(keys - 2, generator=generator)[:batch] + 1
    lengths[0] = keys
    mask = (torch.arange(keys) < lengths.unsqueeze(1)).long()
    return mask.flip(-1) if left else mask


def _padded_heads_cases(generator: torch.Generator) -> list[Case]:
    def draw(left=False, heads=None, mask=True, queries_too=False):
        batch, n_heads, queries, d_k, d_v = draw_sizes(generator, 5)
        keys = draw_more_keys(generator)
        if queries_too:
            batch, n_heads, queries = 2, 3, keys
        shapes = [(queries, d_k), (keys, d_k), (keys, d_v)]
        query, key, value = (
            normal(generator, batch, heads(batch) if heads else n_heads, *shape) for shape in shapes
        )
        arguments = [("query", query), ("key", key), ("value", value)]
        if mask:
            arguments.append(("attention_mask", padded_mask(generator, batch, keys, left)))
        return tuple(arguments)

    empty = draw()
    empty[3][1][-1] = 0

    # Scores that are allowed lie near -20000, far below a finite "minus infinity" such as -1e4.
    query = draw_small_integers(generator, 2, 3, 5, 16)
    key = draw_small_integers(generator, 2, 3, 4, 16)
    query[..., 0], key[..., 0] = 400.0, -200.0
    value = normal(generator, 2, 3, 4, 6)
    low = (("query", query), ("key", key), ("value", value))
    low_mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])

    return [
        Case("padding on the right", "core", draw()),
        Case("padding on the left", "core", draw(left=True)),
        Case("as many heads as sentences", "core", draw(heads=lambda batch: batch)),
        Case("tensors that are transposed views", "core", draw(), strided=True),
        Case("gradients", "core", draw(), gradient=True),
        Case("as many queries as keys", "core", draw(queries_too=True)),
        Case("no mask given", "none", draw(mask=False)),
        Case("attention_mask=None", "none", (*draw(mask=False), ("attention_mask", None))),
        Case("a sentence that is all padding", "corner", empty),
        Case("its gradients", "corner", empty, gradient=True),
        Case("scores near −20000", "corner", (*low, ("attention_mask", low_mask))),
    ]


def _in_place(query, key, value, attention_mask=None):
    if attention_mask is not None:
        value *= attention_mask[:, None, :, None]
    return _padded_heads(query, key, value, attention_mask)


def _inner_broadcast(shape: tuple):
    """A mask that was given its extra axes in the wrong places."""

    def implementation(query, key, value, attention_mask=None):
        if attention_mask is None:
            return _padded_heads(query, key, value)
        keep = attention_mask.bool()[shape]
        return (
            masked_weights(scaled_scores(query, key), keep.expand(*scaled_scores(query, key).shape))
            @ value
        )

    return implementation


def _mask_at_queries(fill: float, empty: float | None = None):
    """The mask lies on the queries, so whole rows are hidden: their weights are ``empty``."""

    def implementation(query, key, value, attention_mask=None):
        if attention_mask is None:
            return _padded_heads(query, key, value)
        keep = attention_mask.bool()[:, None, :, None]
        weights = scaled_scores(query, key).masked_fill(~keep, fill).softmax(-1)
        return (weights if empty is None else weights.masked_fill(~keep, empty)) @ value

    return implementation


_AT_QUERIES = (
    "The mask is laid over the queries, as [batch, 1, keys, 1]: it fails where there are fewer "
    "queries than keys, and elsewhere hides whole rows{}. It belongs to the keys, "
    "[batch, 1, 1, keys]."
)


def _crash_without_mask(query, key, value, attention_mask=None):
    keep = attention_mask.bool()[:, None, None, :]
    return masked_weights(scaled_scores(query, key), keep) @ value


def _loop_padded_heads(query, key, value, attention_mask=None):
    outputs = torch.zeros(*query.shape[:-1], value.size(-1))
    outputs = list(outputs.unbind(0))
    for b in range(query.size(0)):
        seen = slice(None) if attention_mask is None else attention_mask[b].nonzero().squeeze(-1)
        k, v = key[b][:, seen], value[b][:, seen]
        if k.size(1):
            outputs[b] = scaled_scores(query[b], k).softmax(-1) @ v
    return torch.stack(outputs)


def _einsum_padded_heads(query, key, value, attention_mask=None):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    if attention_mask is not None:
        scores = scores + torch.zeros(attention_mask.shape).masked_fill(
            attention_mask == 0, -math.inf
        ).unsqueeze(1).unsqueeze(1)
        empty = (attention_mask == 0).all(-1)[:, None, None, None]
        weights = torch.where(empty, 0.0, torch.where(empty, 0.0, scores).softmax(-1))
    else:
        weights = scores.softmax(-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)


EXERCISE = Exercise(
    id="padded_heads",
    title="Padding under many heads",
    signature="padded_heads(query, key, value, attention_mask=None)",
    reference=_padded_heads,
    cases=_padded_heads_cases,
    parts=(
        Part("core", "padding gets no weight, in any sentence and head", 3),
        Part("none", "works without a mask", 1),
        Part("corner", "nothing but padding; very low scores", 1),
    ),
    minutes=20,
    difficulty=2,
    section=MASKS,
    alternatives={
        "library": lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=None if attention_mask is None else attention_mask[:, None, None].bool(),
        ),
        "loop over sentences": _loop_padded_heads,
        "einsum and an additive mask": _einsum_padded_heads,
        "in float64": lambda query, key, value, attention_mask=None: _padded_heads(
            query.double(), key.double(), value.double(), attention_mask
        ).to(query.dtype),
        "lowest float and zeroed rows": _broken_padded_heads(
            weigh=lambda scores, keep: (
                scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1) * keep
            )
        ),
        "exponentials of what is seen": _broken_padded_heads(
            weigh=lambda scores, keep: (
                ((scores - _hide(scores, keep).amax(-1, keepdim=True)).clamp(max=0).exp() * keep)
                / ((scores - _hide(scores, keep).amax(-1, keepdim=True)).clamp(max=0).exp() * keep)
                .sum(-1, keepdim=True)
                .clamp(min=1e-30)
            )
        ),
    },
    mistakes=(
        Mistake(
            "inverted",
            "The mask is used the wrong way round: the padding is attended to and the tokens are "
            "hidden. In `attention_mask` a 1 is a token.",
            _broken_padded_heads(lambda scores, keep: scores.masked_fill(keep, -math.inf)),
        ),
        Mistake(
            "inverted_in_library",
            "The mask is used the wrong way round: PyTorch's function lets a key take part where "
            "`attn_mask` is True, so pass True for tokens, `attention_mask == 1`.",
            lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=None if attention_mask is None else attention_mask[:, None, None] == 0,
            ),
            section=MASKS,
        ),
        Mistake(
            "mask_ignored",
            "The mask has no effect: padding gets weight as any other token.",
            _broken_padded_heads(lambda scores, keep: scores),
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or 1e-10, multiplied by the mask, or computed from "
            "keys that were set to 0), and e⁰ = 1 is a full share for the softmax. Set them to "
            "minus infinity.",
            _filled(1e-10),
            equivalent=(
                _filled(0.0),
                _broken_padded_heads(lambda scores, keep: scores * keep),
                lambda query, key, value, attention_mask=None: _padded_heads(
                    query,
                    key if attention_mask is None else key * attention_mask[:, None, :, None],
                    value,
                ),
            ),
        ),
        Mistake(
            "added_mask",
            "The mask of ones and zeros is added to the scores as it is: padding only loses 1. "
            "Add 0 for tokens and minus infinity for padding.",
            _broken_padded_heads(lambda scores, keep: scores + keep),
        ),
        Mistake(
            "added_inverted",
            "Minus a large number is added where the mask is 1, so the tokens are hidden and the "
            "padding is seen. It belongs where the mask is 0.",
            _broken_padded_heads(lambda scores, keep: scores + keep * -1e9),
        ),
        Mistake(
            "plus_fill",
            "Hidden scores are filled with a large positive number, so padding gets all the "
            "weight. The sign is wrong.",
            _filled(1e10),
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding (or its values) are set to 0 after the softmax, but the other "
            "weights are not scaled up again: they sum to less than 1. Mask the scores, before "
            "the softmax.",
            _broken_padded_heads(weigh=lambda scores, keep: scores.softmax(-1) * keep),
            equivalent=(
                lambda query, key, value, attention_mask=None: scaled_dot_product_attention(
                    query,
                    key,
                    value if attention_mask is None else value * attention_mask[:, None, :, None],
                ),
            ),
        ),
        Mistake(
            "mask_at_heads",
            "The mask got its extra axes in the wrong places, so sentence b's mask is applied to "
            "head b (or to query b). [batch, keys] becomes [batch, 1, 1, keys].",
            _inner_broadcast((None, slice(None), None, slice(None))),
            equivalent=(_inner_broadcast((slice(None), None, slice(None))),),
            any_error=True,  # what shows it is the case in which the shapes happen to fit
        ),
        Mistake(
            "mask_at_queries",
            _AT_QUERIES.format(", whose result is NaN"),
            _mask_at_queries(-math.inf),
        ),
        Mistake(
            "mask_at_queries_zeros",
            _AT_QUERIES.format(", whose result is zeros"),
            _mask_at_queries(-math.inf, 0.0),
        ),
        Mistake(
            "mask_at_queries_average",
            _AT_QUERIES.format(", whose result is the average of all values"),
            _mask_at_queries(-1e9),
        ),
        Mistake(
            "mask_unexpanded",
            "The mask of shape [batch, keys] meets scores of shape [batch, heads, queries, keys] "
            "as it is. Give it two axes of size 1: [batch, 1, 1, keys].",
            _inner_broadcast((slice(None), slice(None))),
        ),
        Mistake(
            "first_sentence_mask",
            "Every sentence is masked like the first one.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query,
                key,
                value,
                None if attention_mask is None else attention_mask[:1].expand_as(attention_mask),
            ),
        ),
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √d_k.",
            _broken_padded_heads(weigh=masked_weights, scale=lambda query, value: 1.0),
            section=ROOT,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            _broken_padded_heads(weigh=masked_weights, scale=lambda query, value: query.size(-1)),
            section=ROOT,
        ),
        Mistake(
            "scale_d_v",
            "The scores are divided by √d_v, the length of the values; the products are sums over "
            "d_k numbers, so divide by √d_k.",
            _broken_padded_heads(
                weigh=masked_weights, scale=lambda q, value: math.sqrt(value.size(-1))
            ),
            section=ROOT,
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by the root of heads × d_k, the width of all heads together; "
            "each product is a sum over the d_k numbers of one head.",
            _broken_padded_heads(
                weigh=masked_weights, scale=lambda q, value: math.sqrt(q.size(-1) * q.size(1))
            ),
            section=ROOT,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
            _broken_padded_heads(
                weigh=lambda scores, keep: _hide(scores, keep).softmax(-2),
                none=lambda scores: scores.softmax(-2),
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "softmax_over_heads",
            "The softmax runs over the heads (`dim=1`); it must run over the keys, `dim=-1`.",
            _broken_padded_heads(
                weigh=lambda scores, keep: _hide(scores, keep).softmax(1),
                none=lambda scores: scores.softmax(1),
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: the weights are dropped by chance, and the same input gives "
            "different results. Grading is evaluation: leave it out.",
            _broken_padded_heads(
                weigh=lambda scores, keep: F.dropout(masked_weights(scores, keep), 0.1),
                none=lambda scores: F.dropout(scores.softmax(-1), 0.1),
            ),
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Here a query may look at "
            "every token of its sentence.",
            lambda query, key, value, attention_mask=None: scaled_dot_product_attention(
                query,
                key,
                value,
                torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
                & (
                    torch.tensor(True)
                    if attention_mask is None
                    else attention_mask.bool()[:, None, None, :]
                ),
            ),
            section=MASKS,
        ),
        Mistake(
            "added_one_minus_mask",
            "`1 - mask` is added to the scores as it is: padding gains 1 instead of losing "
            "everything. Add 0 for tokens and minus infinity for padding.",
            _broken_padded_heads(lambda scores, keep: scores + (~keep).to(scores.dtype)),
            section=MASKS,
        ),
        Mistake(
            "infinity_times_zero",
            "−∞ is multiplied by the mask, and −∞ times 0 is NaN. Use `masked_fill` or "
            "`torch.where`.",
            _broken_padded_heads(
                lambda scores, keep: scores + (~keep).to(scores.dtype) * -math.inf
            ),
            section=MASKS,
        ),
        Mistake(
            "first_head_only",
            "All heads get the result of the first one.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query, key, value, attention_mask
            )[:, :1].expand(-1, query.size(1), -1, -1),
        ),
        Mistake(
            "zeros_without_mask",
            "Without a mask the result is zeros, as if all were padding. No mask means that every "
            "token is seen.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query,
                key,
                value,
                torch.zeros(len(key), key.size(-2)) if attention_mask is None else attention_mask,
            ),
            points=4,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given: test `attention_mask is not None` before using it.",
            _crash_without_mask,
            points=4,
            any_error=True,
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Its "
            "result must be zeros.",
            _broken_padded_heads(lambda scores, keep: scores.masked_fill(~keep, -math.inf)),
            points=4,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a "
            "NaN that is replaced after the softmax (`nan_to_num`, `where`) still poisons the "
            "backward pass. Keep such rows from reaching the softmax as −∞.",
            _broken_padded_heads(
                weigh=lambda scores, keep: (
                    (scores + torch.zeros(keep.shape).masked_fill(~keep, -math.inf))
                    .softmax(-1)
                    .nan_to_num(0.0)
                )
            ),
            points=4,
        ),
        Mistake(
            "nan_gradient_of_output",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
            "that is replaced in the output (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            lambda query, key, value, attention_mask=None: _broken_padded_heads(
                lambda scores, keep: scores.masked_fill(~keep, -math.inf)
            )(query, key, value, attention_mask).nan_to_num(0.0),
            points=4,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Its result must be zeros.",
            _filled(-1e9),
            points=4,
        ),
        Mistake(
            "small_fill",
            "Hidden scores are set to a finite number such as −1e4; allowed scores can lie below "
            "it, and then the padding wins. Use minus infinity.",
            _broken_padded_heads(
                weigh=lambda scores, keep: (
                    scores.masked_fill(~keep, -1e4).softmax(-1) * keep.any(-1, keepdim=True)
                )
            ),
            points=4,
        ),
        Mistake(
            "small_fill_and_average",
            "Hidden scores are set to a finite number such as −1e4. Allowed scores can lie below "
            "it, and then the padding wins; and a sentence that is all padding gets an average.",
            _filled(-1e4),
            points=4,
        ),
        Mistake(
            "changed_argument",
            "An argument is changed in place; the caller still needs it. Compute with a new "
            "tensor instead of `*=`, `masked_fill_` or an assignment into a slice.",
            _in_place,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`, or a new tensor built from numbers), so nothing could be learned.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query, key, value, attention_mask
            ).detach(),
        ),
        Mistake(
            "returns_weights",
            "These are the attention weights; multiply them with the values.",
            lambda query, key, value, attention_mask=None: attention_weights(
                query,
                key,
                None if attention_mask is None else attention_mask.bool()[:, None, None, :],
            ),
        ),
    ),
)
