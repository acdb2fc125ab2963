from dataclasses import replace

import pytest
import torch

from solutions import TransformerConfig
from solutions.cache import KeyValueCache, RingCache
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


WINDOWED = replace(LIKE_GPT2, positions="rotary", sliding_window=4, max_position_embeddings=64)


@pytest.mark.parametrize("sizes", [[1] * 19, [3, 1, 1, 6, 2, 1, 5], [4, 4, 4, 7], [19]], ids=str)
@torch.no_grad()
def test_a_ring_gives_what_a_window_over_the_whole_text_gives(with_drawn_weights, sizes, close):
    model = with_drawn_weights(LanguageModel(WINDOWED))
    ids, mask = torch.randint(0, 50, (2, 19)), torch.ones(2, 19).long()
    mask[1, :5] = 0  # padding, which is to stay hidden while it is in the ring
    positions = torch.arange(19)[None] - torch.tensor([[0], [5]])
    positions = positions.clamp(min=0)
    expected = model(ids, mask, positions).logits
    ring, found, end = RingCache(4), [], 0
    for size in sizes:
        piece, end = slice(end, end + size), end + size
        found.append(model(ids[:, piece], mask[:, :end], positions[:, piece], ring).logits)
        assert ring.length == end
    found = torch.cat(found, dim=1)
    close(found[mask.bool()], expected[mask.bool()])
    held = {tuple(layer.key.shape) for layer in ring.self_attention.values()}
    assert held == {(2, 3, 4, 4)}  # batch, heads, slots, head_size


def test_a_token_lies_in_the_slot_of_its_position():
    ring = RingCache(3)
    key = torch.arange(7.0).view(1, 1, 7, 1)
    ring.update(key[:, :, :2], key[:, :, :2], 0)
    assert ring.self_attention[0].key.flatten().tolist() == [0, 1, 0]  # the last one is free
    seen = ring.update(key[:, :, 2:7], -key[:, :, 2:7], 0)
    assert seen.key.flatten().tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert ring.self_attention[0].key.flatten().tolist() == [6, 4, 5]
    assert ring.self_attention[0].value.flatten().tolist() == [-6, -4, -5]
    assert ring.update(key[:, :, :1], key[:, :, :1], 0).key.flatten().tolist() == [5, 6, 0]


@torch.no_grad()
def test_a_ring_follows_its_rows_and_survives_an_error(with_drawn_weights, close):
    model = with_drawn_weights(LanguageModel(WINDOWED))
    ids, rows, ring = torch.randint(0, 50, (3, 9)), torch.tensor([2, 0, 0]), RingCache(4)
    model(ids[:, :6], cache=ring)
    with pytest.raises(ValueError, match="positions up to"):
        model(ids[:, :1], position_ids=torch.full((1, 1), 99), cache=ring)
    with pytest.raises(ValueError, match="attention mask"):
        model(ids[:, 6:7], torch.ones(2, 1, 1, 7).bool(), cache=ring)
    ring.reorder(rows)
    assert ring.length == 6
    close(model(ids[rows, 6:], cache=ring).logits, model(ids[rows]).logits[:, 6:])


@torch.no_grad()
def test_a_ring_is_as_it_was_if_the_last_layer_fails(with_drawn_weights, monkeypatch, close):
    model = with_drawn_weights(LanguageModel(WINDOWED))
    ids, ring = torch.randint(0, 50, (2, 7)), RingCache(4)
    model(ids[:, :5], cache=ring)
    with monkeypatch.context() as broken:
        broken.setattr(model.decoder.stack.layers[-1], "forward", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            model(ids[:, 5:], cache=ring)
    assert ring.length == 5
    close(model(ids[:, 5:], cache=ring).logits, model(ids).logits[:, 5:])
