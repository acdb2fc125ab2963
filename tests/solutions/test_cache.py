from dataclasses import replace

import pytest
import torch

from solutions import TransformerConfig
from solutions.cache import KeyValueCache
from solutions.decoder import EncoderDecoder, LanguageModel

CONFIG = TransformerConfig(
    vocab_size=50,
    hidden_size=12,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
LIKE_GPT2 = replace(CONFIG, pre_norm=True)


@torch.no_grad()
def test_a_cache_follows_its_rows_when_they_are_reordered(with_drawn_weights, close):
    model = with_drawn_weights(LanguageModel(LIKE_GPT2))
    ids, cache, rows = torch.randint(0, 50, (3, 7)), KeyValueCache(), torch.tensor([2, 0, 0])
    model(ids[:, :5], cache=cache)
    cache.reorder(rows)
    close(model(ids[rows, 5:], cache=cache).logits, model(ids[rows]).logits[:, 5:])


@torch.no_grad()
def test_a_call_that_raises_leaves_the_cache_as_it_was(
    with_drawn_weights, as_a_reader_runs_it, close
):
    model = with_drawn_weights(EncoderDecoder(CONFIG))
    target, encoded = torch.randint(1, 50, (2, 7)), torch.randn(2, 6, 12)
    start, cache = {"encoder_hidden_states": encoded}, KeyValueCache()
    refused = [  # the first call of all, which would fill an empty cache, and a later one
        {"attention_mask": torch.ones(3, 1, 4, 4).bool()},
        {"encoder_attention_mask": torch.ones(2, 5).bool()},
        {"encoder_attention_mask": torch.ones(3, 1, 1, 6)},
        {"attention_mask": torch.ones(2, 1, 4, 4).long()},
        {"position_ids": torch.ones(2, 2).long()},
    ]
    for piece in (target[:, :4], target[:, 4:]):
        for wrong in refused:
            length = cache.length
            with pytest.raises((ValueError, TypeError, RuntimeError)):
                model.decode(piece, cache=cache, **start, **wrong)
            assert cache.length == length
        found = model.decode(piece, cache=cache, **start).logits
    close(found, model.decode(target, **start).logits[:, 4:])


@torch.no_grad()
def test_a_cache_is_as_it_was_even_if_the_last_layer_or_the_head_fails(
    with_drawn_weights, monkeypatch, close
):
    model = with_drawn_weights(LanguageModel(LIKE_GPT2))
    ids, cache = torch.randint(1, 50, (2, 7)), KeyValueCache()

    def fail(*_):
        raise KeyboardInterrupt

    embeddings, stack = model.decoder.embeddings, model.decoder.stack
    for piece in ids.split(4, dim=1):
        hook = stack.layers[-1].register_forward_hook(fail)
        with pytest.raises(KeyboardInterrupt):
            model(piece, cache=cache)
        hook.remove()
        with monkeypatch.context() as patch:
            patch.setattr(embeddings, "logits", fail)
            with pytest.raises(KeyboardInterrupt):
                model(piece, cache=cache)
        found = model(piece, cache=cache).logits
    assert cache.length == 7
    close(found, model(ids).logits[:, 4:])
