"""Harnesses of assignment 8: a module with a cache, and a search. Released with the assignment.

They hold no answer: each uses the student's object in a certain way and gives back what it did, or
raises a :class:`Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from grading.check import Finding, loaded, weighted

# ---- A layer that remembers ----------------------------------------------------------------------


def read_in_pieces(cls: type, init: list, state: dict, x: Tensor, pieces: list[int]) -> Tensor:
    """Read ``x`` piece by piece, each with the cache of those before; the outputs in a row."""
    return _read(loaded(cls, init, state), x, pieces)


def evaluate_in_pieces(cls: type, init: list, state: dict, x: Tensor, pieces: list[int]) -> Tensor:
    """The same in evaluation mode."""
    return _read(loaded(cls, init, state).eval(), x, pieces)


def train_in_pieces(
    cls: type, init: list, state: dict, x: Tensor, pieces: list[int]
) -> dict[str, Tensor]:
    """Read ``x`` piece by piece; the gradients of all weights and of ``x`` for a fixed loss.

    It is read in training mode and in evaluation mode, and both count in the loss. In evaluation
    mode the last piece needs no gradient itself; the weights and the cache do.
    """
    module = loaded(cls, init, state)
    x.requires_grad_()
    outputs = []
    for training in (True, False):
        parts = [piece.clone() for piece in x.split(pieces, dim=1)]
        if not training:
            parts[-1] = parts[-1].detach()
        outputs.append(_read_all(module.train(training), parts))
    output = torch.cat(outputs)
    if output.requires_grad:
        weighted(output).sum().backward()
    leaves = {name: p for name, p in module.named_parameters() if name in state} | {"x": x}
    unreached = [name for name, leaf in leaves.items() if leaf.grad is None]
    if unreached:
        raise Finding(f"No gradient reaches {', '.join(unreached)}.")
    return {name: leaf.grad for name, leaf in leaves.items()}


def _read(module: nn.Module, x: Tensor, pieces: list[int]) -> Tensor:
    return _read_all(module, list(x.split(pieces, dim=1)))


def _read_all(module: nn.Module, pieces: list[Tensor]) -> Tensor:
    cache, outputs = None, []
    for piece in pieces:
        output, cache = _call(module, piece, cache)
        if output.dim() != 3 or output.shape != piece.shape:
            raise Finding(
                f"For {piece.size(1)} new tokens the output has the shape {list(output.shape)}; "
                f"expected {list(piece.shape)}, one vector for each new token."
            )
        outputs.append(output)
    return torch.cat(outputs, dim=1)


@torch.no_grad()
def continue_twice(
    cls: type, init: list, state: dict, prompt: Tensor, one: Tensor, other: Tensor
) -> list[Any]:
    """Read a prompt once and continue it twice, each time from the prompt's own cache.

    Another text is read before that. What the prompt's cache holds is brought, too: when it was
    new, and after the first continuation. It is done as a text is written: in evaluation mode,
    and without gradients.
    """
    module = loaded(cls, init, state).eval()
    _, cache = _call(module, prompt, None)
    before = _copied(cache)
    _call(module, prompt.flip(1), None)
    outputs = [_call(module, one, cache)[0]]
    after = _copied(cache)
    if len(before) == len(after) and all(map(torch.equal, before, after)):
        outputs.append(_call(module, other, cache)[0])
    return [outputs, before, after]


def _copied(cache: Any) -> list[Tensor]:
    parts = cache if isinstance(cache, tuple | list) else [cache]
    return [part.detach().clone() for part in parts if isinstance(part, Tensor)]


@torch.no_grad()
def read_and_forget(cls: type, init: list, state: dict, one: Tensor, other: Tensor) -> Tensor:
    """Read one text, and then another from its beginning: the output for the other.

    As above, it is done in evaluation mode, and without gradients.
    """
    module = loaded(cls, init, state).eval()
    _call(module, one, None)
    return _call(module, other, None)[0]


def layers_again(
    cls: type,
    init: list,
    state: dict,
    x: Tensor,
    other: Tensor,
    pieces: list[int],
    other_init: list,
    others: dict,
) -> list[Tensor]:
    """Read two texts with one layer, the first with another layer, and the first with the first.

    The second text is read at once as well, and in the same pieces as the first.

    ``others`` are the weights of the other layer, which has heads and positions of its own.
    """
    one, two = loaded(cls, init, state), loaded(cls, other_init, others)
    whole = [other.size(1)]
    calls = (one, x, pieces), (one, other, whole), (one, other, pieces), (two, x, pieces)
    return [_read(module, text.clone(), cut) for module, text, cut in (*calls, calls[0])]


def cache_after(
    cls: type, init: list, state: dict, x: Tensor, pieces: list[int], other_init: list
) -> list:
    """The key and the value in the cache after ``x`` was read in pieces.

    Behind them come those of a layer with the same weights and other heads, for the first row.
    """
    found = []
    for own_init, text in ((init, x), (other_init, x[:1])):
        module = loaded(cls, own_init, state)
        cache = None
        for piece in text.split(pieces, dim=1):
            _, cache = _call(module, piece, cache)
        if not isinstance(cache, tuple | list) or len(cache) != 2:
            raise Finding("The cache must be a tuple of two tensors, `(key, value)`.")
        found += cache
    return found


def _call(module: nn.Module, x: Tensor, cache: Any) -> tuple[Tensor, Any]:
    result = module(x) if cache is None else module(x, cache)
    if result is None:
        raise Finding("`forward` returned None; expected `(output, cache)`. Is `return` missing?")
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Finding("`forward` must return two things: the output and the cache.")
    if not isinstance(result[0], Tensor):
        raise Finding("The first thing that `forward` returns must be a tensor, the output.")
    return result[0], result[1]


# ---- A draw --------------------------------------------------------------------------------------


def exact_zeros(function: Callable, logits: Tensor, *settings: Any) -> Any:
    """The probabilities, and where they are 0 exactly."""
    result = function(logits, *settings)
    if not isinstance(result, Tensor):
        return result
    return {"probabilities": result, "exact zeros": result == 0}


# ---- A loss --------------------------------------------------------------------------------------


def with_gradient(function: Callable, logits: Tensor, *more: Tensor) -> list[Tensor | None]:
    """The loss, and the gradient that `backward()` brings to the logits."""
    logits.requires_grad_()
    loss = function(logits, *more)
    loss.backward()
    return [loss.detach(), logits.grad]


# ---- A search ------------------------------------------------------------------------------------

MOST_QUESTIONS = 20_000


def search(
    beam_search: Callable, language: Tensor, num_beams: int, max_tokens: int, *rest: Any
) -> tuple[list[int], float]:
    """Let the student search a language in which the tokens so far decide about the next.

    Args:
        beam_search: the student's function.
        language: ``[vocab + 1, vocab + 1, vocab]``, log-probabilities of the next token after two
            others; the last index stands for "no token yet". With an axis more in front, of any
            size, the sum of all tokens before these two decides, too.
        num_beams: passed on.
        max_tokens: passed on.
        *rest: passed on, ``eos_token`` and ``length_penalty``.

    Returns:
        The tokens and their score, as a list of integers and a number whatever they were.
    """
    vocab = language.size(-1)
    questions = 0

    def next_log_probs(tokens: list[int]) -> Tensor:
        nonlocal questions
        questions += 1
        if questions > MOST_QUESTIONS:
            raise Finding(
                f"It asked for the next token more than {MOST_QUESTIONS} times; at each step only "
                "the beams that are kept need an answer."
            )
        *before, one, other = [vocab, vocab, *(int(token) for token in tokens)]
        table = language[sum(before) % len(language)] if language.dim() == 4 else language
        return table[one, other].clone()

    found = beam_search(next_log_probs, num_beams, max_tokens, *rest)
    if found is None:
        raise Finding("It returned None; expected `(tokens, score)`. Is `return` missing?")
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Finding("It must return two things: the tokens, a list of integers, and the score.")
    tokens, score = found
    if isinstance(tokens, float) or (isinstance(tokens, Tensor) and tokens.is_floating_point()):
        raise Finding("It returned the score first; expected `(tokens, score)`.")
    try:
        tokens = [int(token) for token in tokens]
    except (TypeError, ValueError) as error:
        raise Finding("The first thing it returns must be a list of integers.") from error
    try:
        return tokens, float(score)
    except (TypeError, ValueError, RuntimeError) as error:
        raise Finding("The second thing it returns must be one number, the score.") from error
