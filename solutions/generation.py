"""How a language model's probabilities become text: greedy, sampled, or by beam search.

The functions call any model that takes ``input_ids``, ``attention_mask``, ``position_ids`` and
``cache`` and returns something with ``logits``: ``LanguageModel``, or the ``decode`` of an
``EncoderDecoder`` together with what it needs from its encoder.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

from solutions.cache import KeyValueCache, past_length_of
from solutions.masks import PaddingMaskWithPast
from solutions.positions import position_ids_of


class HasLogits(Protocol):
    """What a model gives back, whatever else is in it."""

    @property
    def logits(self) -> Tensor:
        """``[batch, tokens, vocab_size]``; those at token t are for token t + 1."""


Model = Callable[..., HasLogits]


@torch.no_grad()
def generate(
    model: Model,
    input_ids: Int[Tensor, "batch prompt"],
    max_new_tokens: int,
    *,
    attention_mask: PaddingMaskWithPast | None = None,
    do_sample: bool = False,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    eos_token_id: int | None = None,
    pad_token_id: int | None = None,
    use_cache: bool = True,
    prefill_chunk_size: int | None = None,
    generator: torch.Generator | None = None,
    **model_inputs: Tensor | None,
) -> Int[Tensor, "batch all"]:
    """Continue each prompt token by token.

    Args:
        model: see the head of this module; in evaluation mode, or its dropout makes noise.
        input_ids: ``[batch, prompt]``; prompts of different lengths are padded on the *left*.
        max_new_tokens: how many tokens are added at most.
        attention_mask: ``[batch, prompt]``, 1 or True for real tokens.
        do_sample: draw the next token instead of taking the most likely one (greedy).
        temperature: the logits are divided by it before a draw; below 1 sharpens, above flattens.
        top_k: draw from the ``k`` most likely tokens only.
        top_p: draw from the smallest set of tokens whose probabilities sum to at least ``p``.
        eos_token_id: the token that ends a text. Without it, every text gets its full length.
        pad_token_id: fills up texts that ended early; ``eos_token_id`` if left out.
        use_cache: remember keys and values. Changes nothing but the time.
        prefill_chunk_size: read the prompt into the cache in pieces of this many tokens, which
            bounds the memory that a long prompt takes. Changes nothing but memory and time.
        generator: the source of random numbers.
        **model_inputs: passed on to the model at each step, such as ``encoder_hidden_states``.

    Returns:
        ``[batch, prompt + new]``: prompts and what was added, at most ``max_new_tokens``.

    Raises:
        ValueError: if a setting makes no sense, or the text outgrows the model's positions.
    """
    _check_sampling(do_sample, temperature, top_k, top_p)
    _check_prompt(input_ids, max_new_tokens, prefill_chunk_size, use_cache)
    ids = input_ids
    mask = _mask_of(ids, attention_mask)
    cache = KeyValueCache() if use_cache else None
    finished = torch.zeros(ids.size(0), dtype=torch.bool, device=ids.device)  # [batch]

    for _ in range(max_new_tokens):
        logits = next_token_logits(model, ids, mask, cache, prefill_chunk_size, **model_inputs)
        if do_sample:
            logits = top_p_filter(top_k_filter(logits / temperature, top_k), top_p)
            next_ids = logits.softmax(dim=-1).multinomial(1, generator=generator)[:, 0]
        else:
            next_ids = logits.argmax(dim=-1)  # [batch]
        if eos_token_id is not None:
            fill = eos_token_id if pad_token_id is None else pad_token_id
            next_ids = next_ids.masked_fill(finished, fill)
            finished = finished | (next_ids == eos_token_id)
        ids = torch.cat([ids, next_ids[:, None]], dim=1)
        mask = torch.cat([mask, mask.new_ones(mask.size(0), 1)], dim=1)
        if finished.all():
            break
    return ids


class BeamSearchOutput(NamedTuple):
    """The best text of each beam search, and how good it is, under Hugging Face's names.

    Attributes:
        sequences: ``[batch, prompt + new]``.
        sequences_scores: ``[batch]``, the sum of the new tokens' log-probabilities divided by
            ``number of new tokens ** length_penalty``.
    """

    sequences: Tensor
    sequences_scores: Tensor


@torch.no_grad()
def beam_search(
    model: Model,
    input_ids: Int[Tensor, "batch prompt"],
    max_new_tokens: int,
    num_beams: int,
    *,
    attention_mask: PaddingMaskWithPast | None = None,
    eos_token_id: int | None = None,
    pad_token_id: int | None = None,
    length_penalty: float = 1.0,
    use_cache: bool = True,
    **model_inputs: Tensor | None,
) -> BeamSearchOutput:
    """Search for a likely text by keeping the ``num_beams`` best beginnings at each step.

    A search stops when ``num_beams`` texts have ended and the best beginning, at its present
    length, scores no better than the worst of them, as Hugging Face's does by default.

    Args:
        model: see :func:`generate`.
        input_ids: ``[batch, prompt]``, padded on the left.
        max_new_tokens: how many tokens are added at most.
        num_beams: beginnings that are kept; 1 is greedy.
        attention_mask: see :func:`generate`.
        eos_token_id: see :func:`generate`.
        pad_token_id: see :func:`generate`.
        length_penalty: above 0 favours long texts, below 0 short ones.
        use_cache: see :func:`generate`.
        **model_inputs: see :func:`generate`; repeated for each beam.

    Raises:
        ValueError: if a setting makes no sense, or the text outgrows the model's positions.
    """
    if num_beams < 1:
        raise ValueError(f"num_beams is {num_beams}; expected at least 1.")
    _check_prompt(input_ids, max_new_tokens, None, use_cache)
    batch, prompt = input_ids.shape
    # Beams of one sequence follow each other in the batch: [batch * beams, tokens].
    ids = input_ids.repeat_interleave(num_beams, dim=0)
    mask = _mask_of(input_ids, attention_mask).repeat_interleave(num_beams, dim=0)
    model_inputs = {
        name: tensor.repeat_interleave(num_beams, dim=0) if tensor is not None else None
        for name, tensor in model_inputs.items()
    }
    cache = KeyValueCache() if use_cache else None
    first_row = torch.arange(batch, device=ids.device)[:, None] * num_beams  # [batch, 1]
    # All beams start equal; only the first may be continued, or they would stay equal.
    scores = torch.full((batch, num_beams), -math.inf, device=ids.device)
    scores[:, 0] = 0.0
    ended = [_Ended(num_beams) for _ in range(batch)]

    for new_tokens in range(1, max_new_tokens + 1):
        logits = next_token_logits(model, ids, mask, cache, None, **model_inputs)
        log_probs = logits.float().log_softmax(dim=-1)  # [batch * beams, vocab]
        vocab = log_probs.size(-1)
        totals = scores[..., None] + log_probs.unflatten(0, (batch, num_beams))
        # Twice as many as beams: even if the best half ends here, enough are left to go on with.
        best, flat = totals.flatten(1).topk(min(2 * num_beams, num_beams * vocab))
        rows, tokens = first_row + flat // vocab, flat % vocab  # [batch, 2 * beams]

        ends = torch.full_like(tokens, new_tokens == max_new_tokens, dtype=torch.bool)
        if eos_token_id is not None:
            ends = ends | (tokens == eos_token_id)
        length = new_tokens**length_penalty
        for b, rank in ends[:, :num_beams].nonzero().tolist():
            text = torch.cat([ids[rows[b, rank], prompt:], tokens[b, rank, None]])
            ended[b].add(best[b, rank].item() / length, text)

        scores, chosen = best.masked_fill(ends, -math.inf).topk(num_beams)  # [batch, beams]
        for b, texts in enumerate(ended):
            texts.stop_if_beyond(scores[b, 0].item() / length)
        if all(texts.stopped for texts in ended):
            break
        kept = rows.gather(1, chosen).flatten()  # [batch * beams]
        ids = torch.cat([ids[kept], tokens.gather(1, chosen).flatten()[:, None]], dim=1)
        mask = torch.cat([mask[kept], mask.new_ones(mask.size(0), 1)], dim=1)
        if cache is not None:
            cache.reorder(kept)

    pad = pad_token_id if pad_token_id is not None else eos_token_id
    results = [texts.best() for texts in ended]
    added = torch.nn.utils.rnn.pad_sequence(
        [text for _, text in results], batch_first=True, padding_value=pad or 0
    )
    return BeamSearchOutput(
        torch.cat([input_ids, added], dim=1),
        torch.tensor([score for score, _ in results], device=ids.device),
    )


class _Ended:
    """The best texts of one sequence's search that have ended so far."""

    def __init__(self, num_beams: int) -> None:
        self.num_beams = num_beams
        self.texts: list[tuple[float, Tensor]] = []
        self.stopped = False

    def add(self, score: float, text: Tensor) -> None:
        if self.stopped or score == -math.inf:
            return
        self.texts.append((score, text))
        self.texts = sorted(self.texts, key=lambda pair: pair[0], reverse=True)[: self.num_beams]

    def stop_if_beyond(self, best_running_score: float) -> None:
        full = len(self.texts) == self.num_beams
        self.stopped = self.stopped or (full and best_running_score <= self.texts[-1][0])

    def best(self) -> tuple[float, Tensor]:
        return self.texts[0]


def next_token_logits(
    model: Model,
    input_ids: Int[Tensor, "batch tokens"],
    attention_mask: PaddingMaskWithPast,
    cache: KeyValueCache | None = None,
    chunk_size: int | None = None,
    **model_inputs: Tensor | None,
) -> Float[Tensor, "batch vocab"]:
    """Compute the logits of the token that follows, reading only what the cache does not hold.

    Args:
        model: see :func:`generate`.
        input_ids: ``[batch, tokens]``, the whole text so far.
        attention_mask: ``[batch, tokens]``.
        cache: what was read; it is extended.
        chunk_size: read at most so many tokens in one call of the model.
        **model_inputs: passed on to the model.
    """
    past_length = past_length_of(cache)
    position_ids = position_ids_of(attention_mask)
    unread = input_ids[:, past_length:]
    for chunk in unread.split(chunk_size or unread.size(1), dim=1):
        end = past_length + chunk.size(1)
        output = model(
            chunk,
            attention_mask=attention_mask[:, :end],
            position_ids=position_ids[:, past_length:end],
            cache=cache,
            **model_inputs,
        )
        past_length = end
    return output.logits[:, -1]


def top_k_filter(
    logits: Float[Tensor, "batch vocab"], top_k: int | None
) -> Float[Tensor, "batch vocab"]:
    """Set all logits below the ``k`` largest of a row to minus infinity (Fan et al. 2018)."""
    if top_k is None:
        return logits
    smallest_kept = logits.topk(min(top_k, logits.size(-1))).values[:, -1:]  # [batch, 1]
    return logits.masked_fill(logits < smallest_kept, -math.inf)


def top_p_filter(
    logits: Float[Tensor, "batch vocab"], top_p: float | None
) -> Float[Tensor, "batch vocab"]:
    """Keep the smallest set of tokens whose probabilities sum to at least ``p``.

    Nucleus sampling (Holtzman et al. 2020). The most likely token is always kept.
    """
    if top_p is None or top_p == 1:  # sums that are rounded to 1 would cut the last ones off
        return logits
    probabilities, order = logits.softmax(dim=-1).sort(descending=True, stable=True)
    before = probabilities.cumsum(dim=-1) - probabilities  # of all that are more likely
    outside = (before >= top_p).scatter(-1, order, before >= top_p)  # back in vocabulary order
    return logits.masked_fill(outside, -math.inf)


def _mask_of(input_ids: Tensor, attention_mask: Tensor | None) -> Tensor:
    if attention_mask is None:
        return torch.ones_like(input_ids)
    if attention_mask.shape == input_ids.shape and not attention_mask[:, -1].all():
        raise ValueError(
            "Found padding at the end of a prompt, where the next token would have to follow; pad "
            "prompts on the left: tokenizer(..., padding=True, padding_side='left')."
        )
    return attention_mask


def _check_prompt(
    input_ids: Tensor, max_new_tokens: int, chunk_size: int | None, use_cache: bool
) -> None:
    if input_ids.size(1) == 0:
        raise ValueError("The prompt is empty; expected at least one token to start from.")
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens is {max_new_tokens}; expected at least 1.")
    if chunk_size is not None and (chunk_size < 1 or not use_cache):
        raise ValueError(
            f"prefill_chunk_size is {chunk_size} and use_cache is {use_cache}; expected at least 1 "
            "token a piece, and a cache to read the pieces into."
        )


def _check_sampling(
    do_sample: bool, temperature: float, top_k: int | None, top_p: float | None
) -> None:
    if not do_sample and (temperature != 1.0 or top_k is not None or top_p is not None):
        raise ValueError(
            "temperature, top_k and top_p change how tokens are drawn, and greedy generation draws "
            "none: pass do_sample=True, or leave them out."
        )
    if temperature <= 0:
        raise ValueError(
            f"temperature is {temperature}; expected more than 0. For the most likely token, which "
            "is where temperature 0 would lead, leave out do_sample."
        )
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k is {top_k}; expected at least 1 token to draw from.")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p is {top_p}; expected a probability above 0, at most 1.")
