from dataclasses import replace

import pytest
import torch
from torch import nn
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
)

from solutions import TransformerConfig
from solutions.cache import KeyValueCache, RingCache
from solutions.decoder import Decoder, EncoderDecoder, LanguageModel
from solutions.layers import DecoderLayer
from solutions.masks import causal_mask
from solutions.positions import SinusoidalPositions, alibi_bias, position_ids_of
from solutions.weights import (
    decoder_layer_to_torch,
    encoder_layer_to_torch,
    language_model_to_llama,
    llama_to_language_model,
    torch_to_decoder_layer,
)

CONFIG = TransformerConfig(
    vocab_size=50,
    hidden_size=12,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=20,
    hidden_act="relu",
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    layer_norm_eps=1e-5,
)
LIKE_GPT2 = replace(CONFIG, pre_norm=True)
LIKE_LLAMA = replace(LIKE_GPT2, normalization="rms_norm", feed_forward="swiglu", positions="rotary")
ATTN_IMPLEMENTATION = pytest.mark.parametrize("attn_implementation", ["eager", "sdpa"])
# nn.Transformer says at each start that it will not use nested tensors for these sizes.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
PRE_NORM = pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])


@pytest.fixture(scope="module")
def gpt2(with_drawn_weights):
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=50,
        n_embd=24,
        n_layer=3,
        n_head=3,
        n_positions=40,
        bos_token_id=1,
        eos_token_id=2,
        attn_implementation="eager",
    )
    return with_drawn_weights(GPT2LMHeadModel(config))


@ATTN_IMPLEMENTATION
@PRE_NORM
@torch.no_grad()
def test_a_layer_equals_pytorchs_decoder_layer(
    with_drawn_weights, attn_implementation, pre_norm, device, close
):
    peer = with_drawn_weights(
        nn.TransformerDecoderLayer(12, 3, 20, batch_first=True, norm_first=pre_norm)
    ).to(device)
    config = replace(CONFIG, pre_norm=pre_norm, attn_implementation=attn_implementation)
    ours = DecoderLayer(config, cross_attention=True).eval().to(device)
    ours.load_state_dict(torch_to_decoder_layer(peer.state_dict()))
    target, source = torch.randn(2, 5, 12, device=device), torch.randn(2, 7, 12, device=device)
    real = torch.tensor([[1] * 7, [1] * 4 + [0] * 3], device=device).bool()
    causal = causal_mask(5, device=device)
    found, weights, cross_weights = ours(target, causal, source, real, output_attentions=True)
    expected = peer(target, source, tgt_mask=~causal, memory_key_padding_mask=~real)
    close(found, expected)
    close(ours(target, causal, source, real)[0], expected)
    assert weights.shape == (2, 3, 5, 5)
    assert (weights.triu(1) == 0).all()
    assert cross_weights.shape == (2, 3, 5, 7)
    assert (cross_weights[1, :, :, 4:] == 0).all()

    back, theirs = decoder_layer_to_torch(ours.state_dict()), peer.state_dict()
    assert back.keys() == theirs.keys()
    assert all(torch.equal(back[name], theirs[name]) for name in theirs)


def test_a_layer_with_cross_attention_wants_an_encoder_and_one_without_wants_none():
    tokens = torch.randn(2, 5, 12)
    with pytest.raises(ValueError, match="Cross-attention needs both"):
        DecoderLayer(CONFIG, cross_attention=True)(tokens)
    with pytest.raises(ValueError, match="Cross-attention needs both"):
        DecoderLayer(CONFIG)(tokens, encoder_hidden_states=tokens)


@ATTN_IMPLEMENTATION
@torch.no_grad()
def test_with_gpt2s_weights_logits_and_attention_maps_equal_gpt2s(gpt2, attn_implementation, close):
    ours = LanguageModel.from_pretrained(gpt2, attn_implementation)
    ids = torch.randint(0, 50, (2, 11))
    expected = gpt2(ids, output_attentions=True)
    found = ours(ids, output_attentions=True)
    close(found.logits, expected.logits)
    close(ours(ids).logits, expected.logits)
    for mine, theirs in zip(found.attentions, expected.attentions, strict=True):
        close(mine, theirs)


@ATTN_IMPLEMENTATION
@torch.no_grad()
def test_left_padded_prompts_equal_gpt2s(gpt2, attn_implementation, close):
    ours = LanguageModel.from_pretrained(gpt2, attn_implementation)
    ids = torch.randint(0, 50, (3, 9))
    mask = torch.tensor([[1] * 9, [0] * 4 + [1] * 5, [0] * 8 + [1]])
    positions = position_ids_of(mask)
    expected = gpt2(ids, attention_mask=mask, position_ids=positions).logits
    found = ours(ids, attention_mask=mask, position_ids=positions).logits
    real = mask.bool()
    close(found[real], expected[real])
    assert torch.isfinite(found).all()


def llama_with_the_weights_of(ours):
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=12,
        num_hidden_layers=3,
        num_attention_heads=3,
        intermediate_size=20,
        rms_norm_eps=1e-5,
        attention_bias=True,
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    llama = LlamaForCausalLM(config).eval()
    llama.load_state_dict(language_model_to_llama(ours.state_dict()))
    return llama


@ATTN_IMPLEMENTATION
@torch.no_grad()
def test_rotary_rms_norm_and_swiglu_make_a_llama(with_drawn_weights, attn_implementation, close):
    config = replace(LIKE_LLAMA, attn_implementation=attn_implementation)
    ours = with_drawn_weights(LanguageModel(config))
    llama = llama_with_the_weights_of(ours)
    ids = torch.randint(0, 50, (3, 9))
    found = ours(ids, output_attentions=True)
    expected = llama(ids, output_attentions=True)
    close(found.logits, expected.logits)
    for mine, theirs in zip(found.attentions, expected.attentions, strict=True):
        close(mine, theirs)

    mask = torch.tensor([[1] * 9, [0] * 4 + [1] * 5, [0] * 8 + [1]])
    positions = position_ids_of(mask)
    found = ours(ids, attention_mask=mask, position_ids=positions).logits
    expected = llama(ids, attention_mask=mask, position_ids=positions).logits
    close(found[mask.bool()], expected[mask.bool()])

    cache = KeyValueCache()
    pieces = [ours(piece, cache=cache).logits for piece in ids.split([4, 1, 3, 1], dim=1)]
    close(torch.cat(pieces, dim=1), llama(ids).logits)


SIZES = {
    "vocab_size": 50,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "intermediate_size": 20,
    "rms_norm_eps": 1e-5,
    "pad_token_id": None,
}
FAMILY = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
    "llama-gqa": lambda: LlamaForCausalLM(
        LlamaConfig(
            **SIZES,
            num_key_value_heads=2,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        )
    ),
    "llama-mqa-tied-biases": lambda: LlamaForCausalLM(
        LlamaConfig(**SIZES, num_key_value_heads=1, tie_word_embeddings=True, attention_bias=True)
    ),
    "mistral-window": lambda: MistralForCausalLM(
        MistralConfig(**SIZES, num_key_value_heads=3, sliding_window=4)
    ),
    "mixtral": lambda: MixtralForCausalLM(
        MixtralConfig(**SIZES, num_key_value_heads=2, num_local_experts=4, sliding_window=5)
    ),
}


@pytest.fixture(scope="module", params=FAMILY)
def of_the_family(request, with_drawn_weights):
    torch.manual_seed(0)
    theirs = FAMILY[request.param]()
    theirs.set_attn_implementation("eager")
    return with_drawn_weights(theirs)


@ATTN_IMPLEMENTATION
@torch.no_grad()
def test_llama_mistral_and_mixtral_are_the_same_class(of_the_family, attn_implementation, close):
    theirs = of_the_family
    ours = LanguageModel.from_pretrained(theirs, attn_implementation)
    ids = torch.randint(0, 50, (3, 11))
    expected = theirs(ids, output_attentions=True)
    found = ours(ids, output_attentions=True)
    close(ours(ids).logits, expected.logits)
    close(found.logits, expected.logits)
    for mine, others in zip(found.attentions, expected.attentions, strict=True):
        close(mine, others)

    window = ours.config.sliding_window
    for sizes in ([1] * 11, [7, 1, 3]):  # token by token; a prompt and two pieces
        for cache in (KeyValueCache(), RingCache(window or 11)):
            pieces = [ours(piece, cache=cache).logits for piece in ids.split(sizes, dim=1)]
            close(torch.cat(pieces, dim=1), expected.logits)

    mask = torch.tensor([[1] * 11, [0] * 4 + [1] * 7, [0] * 10 + [1]])
    positions = position_ids_of(mask)
    found = ours(ids, attention_mask=mask, position_ids=positions).logits
    expected = theirs(ids, attention_mask=mask, position_ids=positions).logits
    close(found[mask.bool()], expected[mask.bool()])


@torch.no_grad()
def test_our_weights_with_shared_heads_and_a_head_go_to_llama_and_back(with_drawn_weights, close):
    config = replace(
        LIKE_LLAMA,
        hidden_size=24,
        num_attention_heads=6,
        num_key_value_heads=2,
        attention_bias=False,
        tie_word_embeddings=False,
        layer_norm_eps=1e-5,
    )
    ours = with_drawn_weights(LanguageModel(config))
    llama = LlamaForCausalLM(
        LlamaConfig(**SIZES | {"num_hidden_layers": 3}, num_key_value_heads=2)
    ).eval()
    llama.load_state_dict(language_model_to_llama(ours.state_dict()))
    ids = torch.randint(0, 50, (2, 9))
    close(ours(ids).logits, llama(ids).logits)
    back, mine = llama_to_language_model(llama.state_dict()), ours.state_dict()
    assert back.keys() == mine.keys()
    assert all(torch.equal(back[name], mine[name]) for name in mine)


@pytest.mark.parametrize(
    "change",
    [
        {"head_dim": 8},
        {"mlp_bias": True},
        {"hidden_act": "gelu"},
        {"rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}},
    ],
    ids=str,
)
def test_a_llama_that_computes_otherwise_is_refused(change):
    with pytest.raises(ValueError, match="Found a llama configuration with a head size of its own"):
        LanguageModel.from_pretrained(LlamaForCausalLM(LlamaConfig(**SIZES | change)))


def test_rotary_positions_end_where_the_model_was_made_for_it():
    model = LanguageModel(replace(LIKE_LLAMA, max_position_embeddings=8)).eval()
    model(torch.zeros(1, 8, dtype=torch.int64))
    with pytest.raises(ValueError, match="positions up to 8, but this model was made for the 8"):
        model(torch.zeros(1, 9, dtype=torch.int64))
    cache = KeyValueCache()
    model(torch.zeros(1, 8, dtype=torch.int64), cache=cache)
    with pytest.raises(ValueError, match="shorten the text"):
        model(torch.zeros(1, 1, dtype=torch.int64), cache=cache)
    assert cache.length == 8
    padded = torch.tensor([[0] * 4 + [1] * 8])  # padding takes no position
    model(torch.zeros(1, 12, dtype=torch.int64), padded, position_ids_of(padded))


def test_gradients_equal_gpt2s(gpt2, close):
    ours = LanguageModel.from_pretrained(gpt2)
    ids, numbers = torch.randint(0, 50, (2, 11)), torch.randn(2, 11, 50)
    gpt2.zero_grad()
    (gpt2(ids).logits * numbers).sum().backward()
    (ours(ids).logits * numbers).sum().backward()
    block, layer = gpt2.transformer.h[0], ours.decoder.stack.layers[0]
    pairs = [
        (layer.attention.query_key_value.weight.grad.T, block.attn.c_attn.weight.grad),
        (layer.feed_forward.intermediate.weight.grad.T, block.mlp.c_fc.weight.grad),
        (ours.decoder.embeddings.word_embeddings.weight.grad, gpt2.transformer.wte.weight.grad),
    ]
    for mine, theirs in pairs:
        close(mine, theirs, rtol=1e-4, atol=1e-4 * theirs.abs().max().item())


def test_a_saved_gpt2_loads_from_its_folder(gpt2, tmp_path, no_network, close):
    gpt2.save_pretrained(tmp_path)
    ids = torch.randint(0, 50, (2, 11))
    with torch.no_grad():
        close(LanguageModel.from_pretrained(tmp_path)(ids).logits, gpt2(ids).logits)


@pytest.mark.parametrize(
    "change",
    [
        {"scale_attn_weights": False},
        {"scale_attn_by_inverse_layer_idx": True},
        {"add_cross_attention": True},
        {"tie_word_embeddings": False},
    ],
    ids=str,
)
def test_a_gpt2_that_computes_otherwise_is_refused(change):
    with pytest.raises(ValueError, match="expected the published GPT-2"):
        LanguageModel.from_pretrained(
            GPT2LMHeadModel(GPT2Config(n_embd=24, n_head=3, n_layer=1, **change))
        )


def test_weights_of_something_else_than_gpt2_are_refused(as_a_reader_runs_it):
    with pytest.raises(ValueError, match="Found a Linear; expected a GPT2LMHeadModel"):
        LanguageModel.from_pretrained(nn.Linear(2, 2))


@ATTN_IMPLEMENTATION
@PRE_NORM
@torch.no_grad()
def test_the_future_changes_nothing_in_the_past(with_drawn_weights, attn_implementation, pre_norm):
    config = replace(CONFIG, pre_norm=pre_norm, attn_implementation=attn_implementation)
    model = with_drawn_weights(LanguageModel(config))
    ids = torch.randint(0, 50, (2, 9))
    changed = ids.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 50
    before, after = model(ids).logits, model(changed).logits
    torch.testing.assert_close(after[:, :5], before[:, :5])
    assert ((after - before)[:, 5:].abs().amax(-1) > 1e-3).all()


@ATTN_IMPLEMENTATION
@PRE_NORM
@pytest.mark.parametrize("pieces", [[1] * 11, [11], [4, 4, 3], [1, 9, 1], [7, 1, 3]], ids=str)
@torch.no_grad()
def test_reading_a_text_in_pieces_with_a_cache_equals_reading_it_at_once(
    with_drawn_weights, attn_implementation, pre_norm, pieces, close
):
    config = replace(CONFIG, pre_norm=pre_norm, attn_implementation=attn_implementation)
    model = with_drawn_weights(LanguageModel(config))
    ids = torch.randint(0, 50, (2, 11))
    cache = KeyValueCache()
    found = [model(piece, cache=cache).logits for piece in ids.split(pieces, dim=1)]
    close(torch.cat(found, dim=1), model(ids).logits)
    assert cache.length == 11


@torch.no_grad()
def test_padding_and_a_cache_together_equal_the_whole(with_drawn_weights, close):
    model = with_drawn_weights(LanguageModel(LIKE_GPT2))
    ids = torch.randint(0, 50, (2, 11))
    mask = torch.tensor([[1] * 11, [0] * 5 + [1] * 6])
    positions, cache, found = position_ids_of(mask), KeyValueCache(), []
    for start, end in [(0, 3), (3, 7), (7, 8), (8, 11)]:
        piece = slice(start, end)
        found.append(model(ids[:, piece], mask[:, :end], positions[:, piece], cache).logits)
    whole = model(ids, mask, positions).logits
    close(torch.cat(found, dim=1)[mask.bool()], whole[mask.bool()])
    alone = model(ids[1:, 5:]).logits
    close(whole[1:, 5:], alone)


@ATTN_IMPLEMENTATION
@torch.no_grad()
def test_alibi_can_be_passed_as_an_additive_mask_and_causality_stays(
    with_drawn_weights, attn_implementation, close
):
    config = replace(LIKE_GPT2, positions="none", attn_implementation=attn_implementation)
    model = with_drawn_weights(LanguageModel(config))
    ids, positions = torch.randint(0, 50, (2, 9)), torch.arange(9)[None]
    bias = alibi_bias(3, positions, positions)
    found = model(ids, attention_mask=bias).logits
    assert not torch.allclose(found, model(ids).logits)
    close(model(ids[:, :5], attention_mask=bias[:, :, :5, :5]).logits, found[:, :5])


def transformer_with_weights_of(ours, pre_norm):
    """PyTorch's Transformer with the same weights; it always ends both stacks with a norm."""
    peer = nn.Transformer(12, 3, 3, 3, 20, batch_first=True, norm_first=pre_norm).eval()
    for mine, theirs in zip(ours.encoder_layers, peer.encoder.layers, strict=True):
        theirs.load_state_dict(encoder_layer_to_torch(mine.state_dict()))
    for mine, theirs in zip(ours.decoder.layers, peer.decoder.layers, strict=True):
        theirs.load_state_dict(decoder_layer_to_torch(mine.state_dict()))
    peer.encoder.norm.load_state_dict(ours.encoder_norm.state_dict())
    peer.decoder.norm.load_state_dict(ours.decoder.final_norm.state_dict())
    return peer


@ATTN_IMPLEMENTATION
@PRE_NORM
@torch.no_grad()
def test_the_encoder_decoder_equals_pytorchs_transformer(
    with_drawn_weights, attn_implementation, pre_norm, close
):
    config = replace(CONFIG, pre_norm=pre_norm, attn_implementation=attn_implementation)
    ours = EncoderDecoder(config, final_norm=True)
    peer = transformer_with_weights_of(with_drawn_weights(ours), pre_norm)
    source, target = torch.randint(1, 50, (2, 7)), torch.randint(1, 50, (2, 5))
    real = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])

    found = ours(source, target, real)
    hidden = peer(
        ours.embeddings(source),
        ours.embeddings(target),
        tgt_mask=~causal_mask(5),
        src_key_padding_mask=real == 0,
        memory_key_padding_mask=real == 0,
    )
    close(found.logits, hidden @ ours.embeddings.word_embeddings.weight.T)
    expected = peer.encoder(ours.embeddings(source), src_key_padding_mask=real == 0)
    close(ours.encode(source, real)[real.bool()], expected[real.bool()])


@torch.no_grad()
def test_target_padding_equals_pytorchs_transformer(with_drawn_weights, close):
    ours = EncoderDecoder(CONFIG, final_norm=True)
    peer = transformer_with_weights_of(with_drawn_weights(ours), pre_norm=False)
    source, target = torch.randint(1, 50, (2, 7)), torch.randint(1, 50, (2, 5))
    real = torch.tensor([[1] * 5, [1] * 3 + [0] * 2])
    found = ours(source, target, decoder_attention_mask=real, output_attentions=True)
    hidden = peer(
        ours.embeddings(source),
        ours.embeddings(target),
        tgt_mask=~causal_mask(5),
        tgt_key_padding_mask=real == 0,
    )
    close(found.logits, hidden @ ours.embeddings.word_embeddings.weight.T)
    assert [w.shape for w in found.attentions] == [(2, 3, 5, 5)] * 3
    assert [w.shape for w in found.cross_attentions] == [(2, 3, 5, 7)] * 3


def test_the_encoder_decoder_embeds_as_the_paper_says(close):
    """Section 3.4: the table's rows times the root of the hidden size, and sinusoids unscaled."""
    embeddings = EncoderDecoder(CONFIG).embeddings.eval()
    ids, positions = torch.randint(0, 50, (2, 5)), torch.tensor([[0, 1, 2, 3, 4], [3, 9, 4, 7, 90]])
    rows = embeddings.word_embeddings.weight[ids]
    expected = rows * CONFIG.hidden_size**0.5 + SinusoidalPositions(CONFIG.hidden_size)(positions)
    close(embeddings(ids, position_ids=positions), expected)
    close(embeddings(ids)[0], expected[0])
    close(embeddings(ids[:, 3:], past_length=3)[0], expected[0, 3:])


def test_post_norm_stacks_have_no_final_norm_unless_asked_as_in_the_paper():
    names = dict(EncoderDecoder(CONFIG).named_modules())
    assert isinstance(names["encoder_norm"], nn.Identity)
    assert isinstance(names["decoder.final_norm"], nn.Identity)
    assert not isinstance(EncoderDecoder(LIKE_GPT2).encoder_norm, nn.Identity)


@torch.no_grad()
def test_the_decoder_looks_at_the_encoders_last_layer_and_reads_it_once(with_drawn_weights, close):
    model = with_drawn_weights(EncoderDecoder(CONFIG))
    source, target = torch.randint(1, 50, (2, 7)), torch.randint(1, 50, (2, 6))
    expected = model(source, target).logits
    encoded, cache = model.encode(source), KeyValueCache()
    found = [model.decode(target[:, :4], cache=cache, encoder_hidden_states=encoded).logits]
    nonsense = torch.zeros_like(encoded)  # keys and values are remembered from the first call
    found.append(model.decode(target[:, 4:], cache=cache, encoder_hidden_states=nonsense).logits)
    close(torch.cat(found, dim=1), expected)
    assert not torch.allclose(model(source.flip(1), target).logits, expected)


def test_the_logits_read_the_embedding_table_itself():
    model = LanguageModel(LIKE_GPT2)
    names = [name for name, p in model.named_parameters() if p.shape == (50, 12)]
    assert names == ["decoder.embeddings.word_embeddings.weight"]
    assert len(model.state_dict()) == len(list(model.parameters()))


@pytest.mark.parametrize("make", [LanguageModel, EncoderDecoder])
def test_everything_learns_and_a_new_model_is_about_as_unsure_as_chance(make):
    torch.manual_seed(0)
    model = make(LIKE_GPT2 if make is LanguageModel else CONFIG)
    ids = torch.randint(0, 50, (8, 9))
    inputs = (ids,) if make is LanguageModel else (ids, ids)
    labels = torch.randint(0, 50, (8 * 9,))
    loss = nn.functional.cross_entropy(model(*inputs).logits.flatten(0, 1), labels)
    assert abs(loss.item() - torch.tensor(50.0).log().item()) < 1.0
    loss.backward()
    assert all(p.grad is not None for p in model.parameters())


def test_a_language_model_learns_a_text_by_heart():
    torch.manual_seed(0)
    model = LanguageModel(replace(LIKE_GPT2, hidden_size=24, intermediate_size=48))
    text = torch.randint(0, 50, (2, 12))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(60):
        loss = nn.functional.cross_entropy(
            model(text[:, :-1]).logits.flatten(0, 1), text[:, 1:].flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert torch.equal(model(text[:, :-1]).logits.argmax(-1)[:, 1:], text[:, 2:])


def test_bad_input_gets_a_sentence(as_a_reader_runs_it):
    model = LanguageModel(LIKE_GPT2).eval()
    with pytest.raises(ValueError, match=r"token ids from 3 to 50, but the vocabulary has 50"):
        model(torch.tensor([[3, 50]]))
    with pytest.raises(ValueError, match=r"positions 0 to 32, but this model has learned only"):
        model(torch.ones(1, 33, dtype=torch.long))
    cache = KeyValueCache()
    model(torch.ones(1, 2, dtype=torch.long), cache=cache)
    with pytest.raises(ValueError, match=r"mask of shape \(1, 2\); expected .* 4 tokens in 1 seq"):
        model(torch.ones(1, 2, dtype=torch.long), torch.ones(1, 2).bool(), cache=cache)
    with pytest.raises(ValueError, match="No positions 'alibi'"):
        Decoder(replace(CONFIG, positions="alibi"))


@ATTN_IMPLEMENTATION
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
@torch.no_grad()
def test_models_follow_their_dtype_and_device(attn_implementation, dtype, device):
    source = torch.randint(0, 50, (2, 5), device=device)
    mask = torch.tensor([[1] * 5, [0] * 2 + [1] * 3], device=device)
    config = replace(LIKE_GPT2, attn_implementation=attn_implementation)
    language_model = LanguageModel(config).to(device, dtype)
    assert language_model(source, mask).logits.dtype == dtype
    translator = EncoderDecoder(replace(config, pre_norm=False)).to(device, dtype)
    assert translator(source, source, mask, mask).logits.dtype == dtype
