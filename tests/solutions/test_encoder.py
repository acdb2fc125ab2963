import dataclasses

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from solutions import TransformerConfig
from solutions.encoder import Encoder
from solutions.layers import EncoderLayer
from solutions.normalization import PostNorm, PreNorm
from solutions.positions import position_ids_of
from solutions.weights import encoder_layer_to_torch, torch_to_encoder_layer

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
SENTENCES = ["time flies like an arrow", "fruit flies like a banana, but not always"]


@pytest.fixture(params=["eager", "sdpa"])
def minilm_encoder(request, minilm):
    return Encoder.from_pretrained(minilm, request.param)


def batches(tokenizer):
    return {
        "one sentence": tokenizer(SENTENCES[0], return_tensors="pt"),
        "padded": tokenizer(SENTENCES, padding=True, return_tensors="pt"),
        "two segments, padded": tokenizer(
            [SENTENCES[0], "time"], [SENTENCES[1], "a banana"], padding=True, return_tensors="pt"
        ),
        "padding on the left": tokenizer(
            SENTENCES, padding=True, padding_side="left", return_tensors="pt"
        ),
    }


@pytest.mark.parametrize(
    "which", ["one sentence", "padded", "two segments, padded", "padding on the left"]
)
@torch.no_grad()
def test_with_minilms_weights_every_hidden_state_and_attention_map_equals_bertmodels(
    which, minilm, minilm_model, minilm_encoder, close
):
    inputs = batches(minilm.tokenizer)[which]
    expected = minilm_model(**inputs, output_attentions=True, output_hidden_states=True)
    found = minilm_encoder(**inputs, output_attentions=True, output_hidden_states=True)
    close(found.last_hidden_state, expected.last_hidden_state)
    close(minilm_encoder(**inputs).last_hidden_state, expected.last_hidden_state)
    assert len(found.hidden_states) == len(expected.hidden_states) == 7
    assert len(found.attentions) == len(expected.attentions) == 6
    for ours, theirs in zip(found.hidden_states, expected.hidden_states, strict=True):
        close(ours, theirs)
    for ours, theirs in zip(found.attentions, expected.attentions, strict=True):
        close(ours, theirs)


def test_a_full_length_text_of_512_tokens_equals_bertmodels(minilm, minilm_model, close):
    inputs = minilm.tokenizer(
        " ".join(SENTENCES * 40), max_length=512, truncation=True, return_tensors="pt"
    )
    assert inputs.input_ids.shape == (1, 512)
    encoder = Encoder.from_pretrained(minilm, attn_implementation="sdpa")
    with torch.no_grad():
        expected = minilm_model(**inputs).last_hidden_state
        close(encoder(**inputs).last_hidden_state, expected)


def test_gradients_equal_bertmodels(with_drawn_weights, close):
    config = BertConfig(
        vocab_size=50,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=20,
        max_position_embeddings=16,
        attn_implementation="eager",
    )
    bert = with_drawn_weights(BertModel(config))
    ours = Encoder.from_pretrained(bert)
    ids = torch.randint(1, 50, (2, 7))
    mask = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    numbers = torch.randn(2, 7, 12)
    (bert(ids, attention_mask=mask).last_hidden_state * numbers).sum().backward()
    (ours(ids, attention_mask=mask).last_hidden_state * numbers).sum().backward()
    theirs = bert.encoder.layer[0]
    mine = ours.layers[0]
    close(mine.feed_forward.output.weight.grad, theirs.output.dense.weight.grad, atol=1e-4)
    close(
        mine.attention.query_key_value.weight.grad[24:],
        theirs.attention.self.value.weight.grad,
        atol=1e-4,
    )
    close(
        ours.embeddings.word_embeddings.weight.grad,
        bert.embeddings.word_embeddings.weight.grad,
        atol=1e-4,
    )


def test_the_bundled_checkpoint_is_the_default_and_a_loaded_encoder_does_not_train(minilm):
    encoder = Encoder.from_pretrained()
    assert encoder.config == TransformerConfig.from_config(minilm.config)
    assert not any(module.training for module in encoder.modules())


def test_weights_of_something_else_than_bert_are_refused(as_a_reader_runs_it):
    other = DistilBertModel(DistilBertConfig(vocab_size=9, dim=8, n_heads=2, n_layers=1))
    with pytest.raises(ValueError, match="Found a DistilBertModel; this encoder is built like a B"):
        Encoder.from_pretrained(other)


@pytest.mark.parametrize("attn_implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_layer_equals_pytorchs_with_and_without_norm_first(
    with_drawn_weights, attn_implementation, pre_norm, activation, device, close
):
    peer = with_drawn_weights(
        nn.TransformerEncoderLayer(
            12,
            3,
            20,
            activation=activation,
            layer_norm_eps=1e-12,
            batch_first=True,
            norm_first=pre_norm,
        )
    ).to(device)
    config = dataclasses.replace(
        CONFIG,
        hidden_act=activation,
        pre_norm=pre_norm,
        attn_implementation=attn_implementation,
    )
    ours = EncoderLayer(config).eval().to(device)
    ours.load_state_dict(torch_to_encoder_layer(peer.state_dict()))
    tokens = torch.randn(2, 5, 12, device=device)
    close(ours(tokens)[0], peer(tokens))

    real = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], device=device).bool()
    found, _ = ours(tokens, real)
    close(found[real], peer(tokens, src_key_padding_mask=~real)[real])  # theirs zeroes padding

    causal = torch.ones(5, 5, device=device).tril().bool()
    close(ours(tokens, causal)[0], peer(tokens, src_mask=~causal))

    back = encoder_layer_to_torch(ours.state_dict())
    theirs = peer.state_dict()
    assert back.keys() == theirs.keys()
    assert all(torch.equal(back[name], theirs[name]) for name in theirs)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_a_layer_is_two_of_chapter_fours_residuals(with_drawn_weights, pre_norm, close):
    layer = with_drawn_weights(EncoderLayer(dataclasses.replace(CONFIG, pre_norm=pre_norm)))
    residual, tokens = PreNorm if pre_norm else PostNorm, torch.randn(2, 5, 12)

    class FirstOfPair(nn.Module):
        def forward(self, x):
            return layer.attention(x)[0]

    first = residual(FirstOfPair(), layer.attention_norm)
    second = residual(layer.feed_forward, layer.feed_forward_norm)
    assert torch.equal(second(first(tokens)), layer(tokens)[0])


@pytest.mark.parametrize("pre_norm", [False, True])
def test_a_stack_equals_pytorchs_encoder_with_its_final_norm(with_drawn_weights, pre_norm, close):
    ours = with_drawn_weights(Encoder(dataclasses.replace(CONFIG, pre_norm=pre_norm)))
    layer = nn.TransformerEncoderLayer(
        12, 3, 20, activation="gelu", layer_norm_eps=1e-12, batch_first=True, norm_first=pre_norm
    )
    norm = nn.LayerNorm(12, eps=1e-12) if pre_norm else None
    peer = nn.TransformerEncoder(layer, 3, norm, enable_nested_tensor=False).eval()
    for mine, theirs in zip(ours.layers, peer.layers, strict=True):
        theirs.load_state_dict(encoder_layer_to_torch(mine.state_dict()))
    if pre_norm:
        norm.load_state_dict(ours.final_norm.state_dict())
    ids = torch.randint(1, 50, (2, 7))
    found = ours(ids, output_hidden_states=True)
    close(found.last_hidden_state, peer(ours.embeddings(ids)))
    assert torch.equal(found.hidden_states[-1], found.last_hidden_state)


@pytest.mark.parametrize("attn_implementation", ["eager", "sdpa"])
def test_padding_changes_nothing_for_real_tokens(with_drawn_weights, attn_implementation, close):
    encoder = with_drawn_weights(
        Encoder(dataclasses.replace(CONFIG, attn_implementation=attn_implementation))
    )
    short = torch.randint(1, 50, (1, 4))
    alone = encoder(short).last_hidden_state
    padded = torch.cat([short, torch.randint(1, 50, (1, 5))], dim=1)
    mask = torch.tensor([[1] * 4 + [0] * 5])
    close(encoder(padded, mask).last_hidden_state[:, :4], alone)
    assert not torch.allclose(encoder(padded).last_hidden_state[:, :4], alone)


def test_padding_on_the_left_changes_nothing_if_positions_follow_the_mask(
    with_drawn_weights, close
):
    encoder = with_drawn_weights(Encoder(CONFIG))
    short = torch.randint(1, 50, (1, 4))
    alone = encoder(short).last_hidden_state
    padded = torch.cat([torch.zeros(1, 3, dtype=torch.long), short], dim=1)
    mask = torch.tensor([[0] * 3 + [1] * 4])
    found = encoder(padded, mask, position_ids=position_ids_of(mask)).last_hidden_state
    close(found[:, 3:], alone)
    assert not torch.allclose(encoder(padded, mask).last_hidden_state[:, 3:], alone)


def test_a_sentence_does_not_depend_on_its_neighbours_in_the_batch(with_drawn_weights, close):
    encoder = with_drawn_weights(Encoder(CONFIG))
    ids = torch.randint(1, 50, (3, 7))
    together = encoder(ids).last_hidden_state
    close(together, torch.cat([encoder(ids[i : i + 1]).last_hidden_state for i in range(3)]))


@pytest.mark.parametrize("positions", ["none", "learned", "sinusoidal"])
def test_only_an_encoder_without_positions_is_blind_to_order(with_drawn_weights, positions):
    encoder = with_drawn_weights(Encoder(dataclasses.replace(CONFIG, positions=positions)))
    ids, order = torch.randint(1, 50, (2, 7)), torch.tensor([3, 0, 6, 1, 5, 2, 4])
    permuted = encoder(ids[:, order]).last_hidden_state
    blind = torch.allclose(permuted, encoder(ids).last_hidden_state[:, order], atol=1e-5)
    assert blind == (positions == "none")


def test_masks_of_three_and_four_dimensions_and_of_any_kind_agree(with_drawn_weights, close):
    encoder = with_drawn_weights(Encoder(CONFIG))
    ids = torch.randint(1, 50, (2, 7))
    mask = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    expected = encoder(ids, mask).last_hidden_state
    additive = mask.float().log()
    for same in (mask.bool(), mask.bool()[:, None], mask.bool()[:, None, None]):
        close(encoder(ids, same).last_hidden_state, expected)
    close(encoder(ids, additive[:, None, None]).last_hidden_state, expected)


def test_a_two_dimensional_mask_is_one_of_tokens_even_if_it_is_square(with_drawn_weights, close):
    encoder = with_drawn_weights(Encoder(CONFIG))
    ids = torch.randint(1, 50, (5, 5))
    mask = torch.ones(5, 5, dtype=torch.long).tril()
    found = encoder(ids, mask).last_hidden_state
    close(found[2, :3], encoder(ids[2:3, :3]).last_hidden_state[0])


def test_bad_input_gets_a_sentence(as_a_reader_runs_it):
    encoder = Encoder(CONFIG).eval()
    ids = torch.randint(1, 50, (2, 7))
    with pytest.raises(
        ValueError, match=r"Found token ids from 0 to 50, but the vocabulary has 50"
    ):
        encoder(torch.tensor([[0, 50]]))
    with pytest.raises(
        ValueError, match=r"positions 0 to 16, but this model has learned only .*16"
    ):
        encoder(torch.ones(1, 17, dtype=torch.long))
    with pytest.raises(ValueError, match=r"mask of shape \(2, 6\); expected .* 7 tokens in 2 seq"):
        encoder(ids, torch.ones(2, 6))
    with pytest.raises(TypeError, match=r"of dtype torch\.float32; expected booleans or the int"):
        encoder(ids, torch.ones(2, 7))
    with pytest.raises(ValueError, match="Rotary positions are for decoders"):
        Encoder(dataclasses.replace(CONFIG, positions="rotary"))


def test_a_new_encoder_starts_as_bert_does():
    config = dataclasses.replace(CONFIG, vocab_size=2000, hidden_size=120)
    encoder = Encoder(config)
    embeddings = encoder.embeddings.word_embeddings.weight
    assert abs(embeddings[1:].std().item() - 0.02) < 1e-3
    assert (embeddings[config.pad_token_id] == 0).all()
    assert abs(encoder.layers[0].attention.query_key_value.weight.std().item() - 0.02) < 1e-3
    assert (encoder.layers[0].attention.query_key_value.bias == 0).all()


def test_layers_have_their_own_weights_and_all_of_them_learn():
    encoder = Encoder(dataclasses.replace(CONFIG, pre_norm=True))
    encoder(torch.randint(1, 50, (2, 7))).last_hidden_state.square().sum().backward()
    layers = encoder.layers
    assert len({id(layer.attention.query_key_value.weight) for layer in layers}) == 3
    assert all(parameter.grad is not None for parameter in encoder.parameters())


def test_the_padding_vector_stays_zero_while_training():
    embeddings = Encoder(CONFIG).embeddings.word_embeddings
    embeddings(torch.tensor([[0, 3]])).sum().backward()
    assert (embeddings.weight.grad[0] == 0).all()
    assert (embeddings.weight.grad[3] == 1).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
@pytest.mark.parametrize("attn_implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("positions", ["learned", "sinusoidal"])
def test_an_encoder_follows_its_dtype(dtype, attn_implementation, positions):
    changes = {"attn_implementation": attn_implementation, "positions": positions}
    encoder = Encoder(dataclasses.replace(CONFIG, **changes)).to(dtype).eval()
    mask = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    assert encoder(torch.randint(1, 50, (2, 7)), mask).last_hidden_state.dtype == dtype


def test_dropout_works_while_training_and_never_in_evaluation():
    encoder = Encoder(dataclasses.replace(CONFIG, hidden_dropout_prob=0.5))
    ids = torch.randint(1, 50, (2, 7))
    assert not torch.equal(encoder(ids).last_hidden_state, encoder(ids).last_hidden_state)
    encoder.eval()
    assert torch.equal(encoder(ids).last_hidden_state, encoder(ids).last_hidden_state)
