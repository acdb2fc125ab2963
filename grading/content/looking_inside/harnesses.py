"""Harnesses of assignment 11: how its functions are put to work.

Released with the assignment. Each gets the student's function first and returns a plain value,
which may need a judge (`judges.py`). Nothing here holds an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grading.check import Finding, copied, describe

# ---- A score and its chance --------------------------------------------------------------------


def score_of(function: Callable, *arguments: Any) -> Any:
    """The first of the two results, the scores of the heads."""
    return _results(function, ("score", "chance"), arguments)[0]


def chance_of(function: Callable, *arguments: Any) -> Any:
    """The second of the two results, a number."""
    return _one_number(_results(function, ("score", "chance"), arguments)[1])


def change_by_padding(
    function: Callable, attention: Tensor, input_ids: Tensor, attention_mask: Tensor
) -> Any:
    """By how much the chance changes if the padding of the only text is cut off: one number."""
    real = attention_mask[0] != 0
    ones = attention_mask[:, real].long()  # in which every count has room
    cut = attention[..., real, :][..., real], input_ids[:, real], ones
    padded = chance_of(function, attention, input_ids, attention_mask)
    return padded - chance_of(function, *cut)


def _results(function: Callable, names: tuple[str, ...], arguments: tuple) -> Any:
    results = function(*arguments)
    expected = f"expected `({', '.join(names)})`"
    if results is None:
        raise Finding(f"It returned None; {expected}. Is `return` missing?")
    if not isinstance(results, tuple | list) or len(results) != len(names):
        raise Finding(f"It returned {describe(results)}; {expected}.")
    return results


def _one_number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Tensor):
        raise Finding(f"It returned {describe(value)} where a number is expected.")
    if isinstance(value, Tensor) and value.numel() != 1:
        raise Finding(f"It returned a tensor of shape {list(value.shape)}; expected one number.")
    return float(value)


# ---- A lens ------------------------------------------------------------------------------------

_LENS = ("log_probs", "ranks", "settled")


def log_probs_before_the_last(function: Callable, *arguments: Any) -> Any:
    """The log-probabilities at all depths but the last."""
    log_probs = _results(function, _LENS, arguments)[0]
    return log_probs[:-1] if isinstance(log_probs, Tensor) and log_probs.dim() else log_probs


def log_probs_at_the_last(function: Callable, *arguments: Any) -> Any:
    """The log-probabilities at the last depth."""
    log_probs = _results(function, _LENS, arguments)[0]
    return log_probs[-1] if isinstance(log_probs, Tensor) and log_probs.dim() else log_probs


def ranks_of(function: Callable, *arguments: Any) -> Any:
    """The ranks of the targets at all depths."""
    return _results(function, _LENS, arguments)[1]


def change_of_ranks(function: Callable, factor: float, *arguments: Any) -> Any:
    """By how much the ranks change if all logits are this many times as large."""
    states, weight, bias, table, ids = arguments
    plain = ranks_of(function, states, weight, bias, table, ids)
    ranks = ranks_of(function, states, weight, bias, factor * table, ids)
    both = isinstance(ranks, Tensor) and isinstance(plain, Tensor)
    return (ranks - plain).long() if both else ranks


def settled_of(function: Callable, *arguments: Any) -> Any:
    """The depths from which on the targets are on top."""
    return _results(function, _LENS, arguments)[2]


# ---- A model with parts ------------------------------------------------------------------------


class _Attention(nn.Module):
    """Causal attention with one head; it gives its output, its values and its weights."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mix [batch, tokens, hidden]."""
        query, key, value = self.query_key_value(x).chunk(3, dim=-1)
        scores = query @ key.mT / key.size(-1) ** 0.5
        future = torch.full_like(scores[0], -torch.inf).triu(1)
        weights = (scores + future).softmax(dim=-1)
        return weights @ value, value, weights


class _Layer(nn.Module):
    """A layer of a decoder, without norms; it may change what its parts gave in place.

    It uses two of the three that its attention gives.
    """

    def __init__(self, hidden_size: int, in_place: bool):
        super().__init__()
        self.attention = _Attention(hidden_size)
        self.feed_forward = nn.Sequential(nn.Linear(hidden_size, hidden_size), nn.Tanh())
        self.in_place = in_place

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to the same shape."""
        mixed, value, _ = self.attention(x)
        if self.in_place:
            x += mixed
            mixed *= 2.0
            x += value
            x += self.feed_forward(x)
            return x
        x = x + mixed + value
        return x + self.feed_forward(x)


class _Decoder(nn.Module):
    """A decoder with two layers, whose parts have names."""

    def __init__(self, vocab_size: int, hidden_size: int, in_place: bool = False):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, hidden_size)
        self.layers = nn.ModuleList(_Layer(hidden_size, in_place) for _ in range(2))
        self.head = nn.Linear(hidden_size, vocab_size, bias=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        """Map ids [batch, tokens] to logits [batch, tokens, vocab]."""
        x = self.embedding(input_ids)
        for layer in self.layers:
            x = layer(x)
        logits: Tensor = self.head(x)
        return logits


def _decoder(init: list, weights: Tensor) -> nn.Module:
    model = _Decoder(*init)
    nn.utils.vector_to_parameters(weights.clone(), model.parameters())
    return model.eval()


_MODEL = _Decoder.__new__(_Decoder)


def _same_object(init: list, weights: Tensor) -> nn.Module:
    """One object for all calls, with other parts in each: what is kept by `id(model)` shows."""
    vars(_MODEL).clear()
    vars(_MODEL).update(vars(_decoder(init, weights)))
    return _MODEL


_PATCHED = ("logits", "recovered")


def patched_logits(function: Callable, init: list, weights: Tensor, *more: Any) -> Any:
    """The logits of the patched run."""
    return _results(function, _PATCHED, (_same_object(init, weights), *more))[0]


def recovered_share(function: Callable, init: list, weights: Tensor, *more: Any) -> Any:
    """The recovered share of each row."""
    return _results(function, _PATCHED, (_same_object(init, weights), *more))[1]


def traces(
    function: Callable,
    init: list,
    weights: Tensor,
    clean: Tensor,
    corrupted: Tensor,
    name: str,
    positions: list[int] | None,
    answers: Tensor,
    training: list[str],
    fails: bool,
) -> dict[str, Any]:
    """What a model looks like before and after, of which some parts are in training mode.

    ``fails``: one of the texts has an id that the embedding lacks, so a run raises IndexError. If
    none does and the model as a whole is in training mode, it is used once more, with the texts
    exchanged.
    """
    model = _decoder(init, weights)
    model.embedding.weight.requires_grad_(False)
    for part in training:
        model.get_submodule(part).training = True
    model.get_submodule(name).register_forward_hook(_looks_on)
    modules = dict(model.named_modules())
    before, raised = _look(model), False
    try:
        function(model, clean, corrupted, name, positions, answers)
    except IndexError:
        if not fails:
            raise
        raised = True
    after, now = _look(model), dict(model.named_modules())
    more = (
        [] if fails or "" not in training else [model, corrupted, clean, name, positions, answers]
    )
    return {
        "before": before,
        "after": after,
        "second": _results(function, _PATCHED, tuple(more))[0] if more else None,
        "replaced": [part for part, module in modules.items() if now.get(part) is not module],
        "weights": nn.utils.parameters_to_vector(model.parameters()),
        "raised": raised,
    }


def _looks_on(*_: Any) -> None:
    """Stand for a hook that somebody else has put there."""


def _look(model: nn.Module) -> dict[str, list]:
    """What can be seen of each part.

    Whether it trains, how many hooks it has, the names of its attributes, and whether its weights
    require gradients.
    """
    return {
        name or "the model": [
            part.training,
            len(part._forward_hooks) + len(part._forward_pre_hooks),
            sorted(vars(part)),
            [parameter.requires_grad for parameter in part.parameters(recurse=False)],
        ]
        for name, part in model.named_modules()
    }


# ---- A probe -----------------------------------------------------------------------------------

_PROBE = ("scores", "accuracies")


def probe_scores(function: Callable, *arguments: Any) -> Any:
    """The scores of the test examples."""
    return _results(function, _PROBE, arguments)[0]


def probe_scores_of_constants(function: Callable, *arguments: Any) -> list[Any]:
    """The scores, and those with what is constant in training constant in the test, too."""
    states, is_test = arguments[0].clone(), arguments[4].clone()
    train = states[~is_test]
    constant = (train == train[0]).all(0)
    other = torch.where(constant, train[0], states), *copied(arguments[1:])
    return [probe_scores(function, *arguments), probe_scores(function, *other)]


def probe_accuracy(function: Callable, *arguments: Any) -> Any:
    """The first of the accuracies, a number."""
    return _one_number(_accuracies(function, arguments)[0])


def control_accuracies(function: Callable, *arguments: Any) -> dict[str, float]:
    """The control's accuracy and the selectivity, two numbers."""
    _, control, selectivity = map(_one_number, _accuracies(function, arguments))
    return {"the control's accuracy": control, "the selectivity": selectivity}


def _accuracies(function: Callable, arguments: tuple) -> Any:
    found = _results(function, _PROBE, arguments)[1]
    if not isinstance(found, Tensor | tuple | list):
        raise Finding(f"`accuracies` is {describe(found)}; expected a tensor of shape [3].")
    if isinstance(found, Tensor) and (found.shape != (3,) or found.dtype != torch.float32):
        raise Finding(f"`accuracies` is {describe(found)}; expected float32 [3].")
    if len(found) != 3:
        raise Finding(f"`accuracies` has {len(found)} entries; expected 3.")
    return found


# ---- Claims ------------------------------------------------------------------------------------


def on_tables(function: Callable, letters: str, tables: list[dict]) -> list[Any]:
    """What is said of each of some tables; ``letters`` are for who judges."""
    return [_as_list(function(table)) for table in tables]


def _as_list(result: Any) -> Any:
    return sorted(result, key=str) if isinstance(result, set | frozenset) else result
