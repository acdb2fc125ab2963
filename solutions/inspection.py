"""Looking inside a model while it computes: what each part adds, and what depends on it.

Nothing here changes a model. What watches or replaces something is a context manager that hangs a
hook on a module and takes it off again, even if the ``with`` block raises. What a head hands over
is the input of its attention's output projection, so the same functions serve encoders and
decoders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, cast

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.decoder import LanguageModel
from solutions.head import MaskedLanguageModel
from solutions.multi_head import MultiHeadAttention

Inspected = LanguageModel | MaskedLanguageModel


@contextmanager
def record(
    model: nn.Module, names: Iterable[str], *, inputs: bool = False
) -> Iterator[dict[str, Tensor]]:
    """Keep what submodules give back in the forward passes within the ``with`` block.

    Args:
        model: any module.
        names: submodules as ``model.named_modules()`` calls them.
        inputs: keep what each is given instead.

    Yields:
        A dictionary that fills while the model runs: for each name the tensor, or the first of a
        tuple. A later pass replaces what an earlier one left.

    Raises:
        AttributeError: if the model has no submodule of that name.
    """
    kept: dict[str, Tensor] = {}

    def keep(name: str) -> Any:
        def hook(_module: nn.Module, given: tuple[Any, ...], output: Any = None) -> None:
            kept[name] = _first(given if inputs else output)

        return hook

    modules = {name: model.get_submodule(name) for name in names}
    with ExitStack() as hooks:
        for name, module in modules.items():
            register = module.register_forward_pre_hook if inputs else module.register_forward_hook
            hooks.enter_context(register(keep(name)))
        yield kept


@contextmanager
def patch(
    module: nn.Module,
    value: Float[Tensor, "batch tokens hidden"],
    positions: Sequence[int] | None = None,
) -> Iterator[None]:
    """Replace what a module gives back by what it gave in a different run (activation patching).

    Vig et al. 2020 call it causal mediation analysis, Meng et al. 2022 causal tracing.

    Args:
        module: gives back ``[batch, tokens, hidden]``, or a tuple that starts with it.
        value: the output to put there, of the same shape.
        positions: the tokens at which it is replaced; at all of them if left out.
    """

    def hook(_module: nn.Module, _given: tuple[Any, ...], output: Any) -> Any:
        patched = value
        if positions is not None:
            patched = _first(output).clone()
            patched[:, positions] = value[:, positions].to(patched)
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    with module.register_forward_hook(hook):
        yield


@contextmanager
def ablate(
    attention: MultiHeadAttention,
    heads: Sequence[int],
    replacement: Float[Tensor, "*#shape hidden"] | float = 0.0,
) -> Iterator[None]:
    """Replace what some heads of an attention layer hand to its output projection.

    Args:
        attention: the layer.
        heads: which of its heads.
        replacement: 0.0 for zero ablation; the heads' mean over a data set, ``[hidden]``, for mean
            ablation; what they gave for other texts, ``[batch, tokens, hidden]``, for resample
            ablation. Only the share of ``heads`` is taken from it.
    """
    size = attention.head_size

    def hook(_module: nn.Module, given: tuple[Any, ...]) -> tuple[Any, ...]:
        changed = given[0].clone()  # [batch, tokens, hidden], the heads beside each other
        source = torch.as_tensor(replacement).to(changed).expand_as(changed)
        for head in heads:
            share = slice(head * size, (head + 1) * size)
            changed[..., share] = source[..., share]
        return (changed, *given[1:])

    with attention.output.register_forward_pre_hook(hook):
        yield


def residual_contributions(
    model: LanguageModel, input_ids: Int[Tensor, "batch tokens"], *, by_head: bool = False
) -> dict[str, Float[Tensor, "batch tokens hidden"]]:
    """Split what reaches the final norm into what each part added (Elhage et al. 2021).

    In a pre-norm model the residual stream is a sum: embeddings, then each sublayer's update.

    Args:
        model: a pre-norm language model, in evaluation mode.
        input_ids: ``[batch, tokens]``.
        by_head: split each attention layer further, into its heads and its output bias.

    Returns:
        Names such as ``"embeddings"``, ``"0 attention"`` (or ``"0 head 3"`` and ``"0 bias"``) and
        ``"0 feed-forward"``, each with ``[batch, tokens, hidden]``. They sum to the state that the
        final norm is given.

    Raises:
        ValueError: if the model is post-norm, whose sums are normalised on the way.
    """
    if not model.config.pre_norm:
        raise ValueError(
            "Found a post-norm model, which normalises after every sum: what its parts add does "
            "not sum to its last state. Expected a model with pre_norm=True."
        )
    layers = [f"decoder.stack.layers.{i}" for i in range(len(model.decoder.stack.layers))]
    updates = [f"{layer}.{part}" for layer in layers for part in ("attention", "feed_forward")]
    joined = [f"{layer}.attention.output" for layer in layers]
    with (
        record(model, ["decoder.embeddings", *updates]) as kept,
        record(model, joined, inputs=True) as before_output,
    ):
        model(input_ids)

    found = {"embeddings": kept["decoder.embeddings"]}
    for i, layer in enumerate(layers):
        if by_head:
            output = cast(nn.Linear, model.get_submodule(joined[i]))
            heads = before_output[joined[i]]
            shares = head_contributions(output, heads, model.config.head_size)
            found |= {f"{i} head {head}": share for head, share in enumerate(shares)}
            if output.bias is not None:
                found[f"{i} bias"] = output.bias.expand_as(heads)
        else:
            found[f"{i} attention"] = kept[f"{layer}.attention"]
        found[f"{i} feed-forward"] = kept[f"{layer}.feed_forward"]
    return found


def head_contributions(
    output: nn.Linear, heads: Float[Tensor, "batch tokens hidden"], head_size: int
) -> list[Float[Tensor, "batch tokens hidden"]]:
    """Split what an output projection computes into what each head adds, its bias left out.

    ``Concat(head_1, ..., head_h) W_O`` is a sum: each head meets its own columns of the weight
    (Elhage et al. 2021, "Attention heads are independent and additive").

    Args:
        output: the projection, whose weight is ``[hidden, hidden]``.
        heads: what it is given, the heads beside each other.
        head_size: numbers of each head.
    """
    shares = zip(heads.split(head_size, -1), output.weight.split(head_size, 1), strict=True)
    return [F.linear(share, columns) for share, columns in shares]


def residual_states(
    model: Inspected,
    input_ids: Int[Tensor, "batch tokens"],
    attention_mask: Int[Tensor, "batch tokens"] | None = None,
) -> Float[Tensor, "depths batch tokens hidden"]:
    """Collect the hidden states before the first layer and after each; the final norm is not in.

    Args:
        model: a language model or a masked language model, in evaluation mode.
        input_ids: ``[batch, tokens]``.
        attention_mask: ``[batch, tokens]``, 1 for real tokens; all are real if left out.
    """
    if isinstance(model, LanguageModel):
        embeddings, stack, layers = (
            "decoder.embeddings",
            "decoder.stack",
            model.decoder.stack.layers,
        )
    else:
        embeddings, stack, layers = "encoder.embeddings", "encoder", model.encoder.layers
    names = [embeddings, *(f"{stack}.layers.{i}" for i in range(len(layers)))]
    with record(model, names) as states:
        model(input_ids, attention_mask)
    return torch.stack([states[name] for name in names])


def read_off(
    model: Inspected, states: Float[Tensor, "batch tokens hidden"]
) -> Float[Tensor, "batch tokens vocabulary"]:
    """Turn hidden states of any depth into logits, as the model does with its last ones."""
    if isinstance(model, LanguageModel):
        states = model.decoder.stack.final_norm(states)
        return model.head(states) if model.head else model.decoder.embeddings.logits(states)
    return model.head(model.encoder.final_norm(states))


def logit_lens(
    model: Inspected,
    input_ids: Int[Tensor, "batch tokens"],
    attention_mask: Int[Tensor, "batch tokens"] | None = None,
) -> Float[Tensor, "depths batch tokens vocabulary"]:
    """Read the states of every depth with the model's own head (nostalgebraist 2020).

    Args:
        model: a language model or a masked language model, in evaluation mode.
        input_ids: ``[batch, tokens]``.
        attention_mask: ``[batch, tokens]``, 1 for real tokens; all are real if left out.

    Returns:
        Logits of depth 0, the embeddings, to the last, which are the model's own.
    """
    states = residual_states(model, input_ids, attention_mask)
    return torch.stack([read_off(model, state) for state in states])


def induction_score(
    attentions: Sequence[Float[Tensor, "batch heads tokens tokens"]], period: int
) -> Float[Tensor, "layers heads"]:
    """Measure which heads look at what followed the last time (Olsson et al. 2022).

    Args:
        attentions: the weights of each layer on texts that repeat themselves after ``period``
            tokens.
        period: how many tokens come before the text begins again.

    Returns:
        The mean weight that a token of the second half gives to the token after its earlier
        occurrence, ``period - 1`` positions back; 1 for a perfect induction head.

    Raises:
        ValueError: if the texts end before anything is repeated.
    """
    maps = torch.stack(list(attentions))
    if not 1 <= period < maps.size(-1):
        raise ValueError(
            f"Found texts of {maps.size(-1)} tokens and a period of {period}: expected at least "
            "one token after the first period."
        )
    stripe = maps.diagonal(1 - period, -2, -1)  # queries from period - 1 on
    return stripe[..., 1:].mean(dim=(1, 3))  # the first of them has not occurred before


def fit_probe(
    features: Float[Tensor, "examples hidden"],
    labels: Int[Tensor, " examples"],
    penalty: float = 1.0,
) -> nn.Linear:
    """Fit a linear probe: multinomial logistic regression (Belinkov 2022 on what it can show).

    Minimises the summed cross-entropy plus ``penalty / 2`` times the squared weights, biases left
    out, as scikit-learn's ``LogisticRegression(C=1 / penalty)`` does with three classes or more.

    Args:
        features: one vector for each example; any scale, though a common one fits faster.
        labels: the class of each, from 0 on.
        penalty: how strongly large weights are discouraged.

    Returns:
        A linear map from vectors to one logit a class, in the features' dtype.

    Raises:
        ValueError: if there are fewer than two classes.
    """
    if (classes := int(labels.max()) + 1) < 2:
        raise ValueError("Found labels of one class only; expected at least two.")
    inputs = features.detach().double()  # the optimum is flat: float32 stops short of it
    probe = nn.Linear(inputs.size(1), classes, device=inputs.device, dtype=inputs.dtype)
    nn.init.zeros_(probe.weight)
    nn.init.zeros_(probe.bias)
    optimizer = torch.optim.LBFGS(
        probe.parameters(), max_iter=300, tolerance_grad=1e-6, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        fit = F.cross_entropy(probe(inputs), labels, reduction="sum")
        total = fit + penalty / 2 * probe.weight.square().sum()
        total.backward()
        return total

    with torch.enable_grad():
        optimizer.step(loss)
    return probe.to(features.dtype).requires_grad_(False)


def control_labels(
    types: Int[Tensor, " examples"], num_labels: int, generator: torch.Generator | None = None
) -> Int[Tensor, " examples"]:
    """Draw one label for each word type, the same wherever it occurs (Hewitt and Liang 2019).

    Such a control task can only be memorised. A probe's accuracy on its own task minus that
    on the control task is its selectivity.

    Args:
        types: the word id of each example.
        num_labels: how many labels there are, all equally likely.
        generator: where the draw comes from.
    """
    words, which = types.unique(return_inverse=True)
    drawn = torch.randint(num_labels, (len(words),), generator=generator, device=types.device)
    return drawn[which]


def _first(result: Any) -> Tensor:
    """The tensor itself, or the first of a tuple: hidden states come before attention weights."""
    return result[0] if isinstance(result, tuple) else result
