import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import BertConfig, GPT2Config
from transformers.models.bert.modeling_bert import BertAttention
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

from solutions import TransformerConfig
from solutions.multi_head import AttentionHead, MultiHeadAttention, MultiHeadAttentionList
from solutions.weights import (
    bert_to_packed,
    gpt2_to_packed,
    list_to_packed,
    packed_to_bert,
    packed_to_gpt2,
    packed_to_list,
    packed_to_torch,
    torch_to_packed,
)

BATCH, HEADS, QUERIES, KEYS, HIDDEN = 2, 3, 5, 7, 12
CONFIG = TransformerConfig(
    hidden_size=HIDDEN,
    num_attention_heads=HEADS,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
ATTN_IMPLEMENTATION = pytest.mark.parametrize("attn_implementation", ["eager", "sdpa"])


@pytest.fixture
def packed(with_drawn_weights, device):
    return with_drawn_weights(MultiHeadAttention(CONFIG)).to(device)


@pytest.fixture
def tokens(device):
    return torch.randn(BATCH, QUERIES, HIDDEN, device=device)


@pytest.fixture
def others(device):
    return torch.randn(BATCH, KEYS, HIDDEN, device=device)


def twin(packed, **changes):
    """The same weights in a module that computes them differently."""
    other = MultiHeadAttention(replace(CONFIG, **changes)).to(packed.output.weight.device).eval()
    other.load_state_dict(packed.state_dict())
    return other


def as_list(packed):
    listed = MultiHeadAttentionList(CONFIG).to(packed.output.weight.device).eval()
    listed.load_state_dict(packed_to_list(packed.state_dict(), HEADS))
    return listed


def as_torch(packed):
    peer = nn.MultiheadAttention(HIDDEN, HEADS, batch_first=True)
    peer.load_state_dict(packed_to_torch(packed.state_dict()))
    return peer.to(packed.output.weight.device).eval()


def test_one_head_is_attention_between_its_projections(with_drawn_weights, close):
    head = with_drawn_weights(AttentionHead(HIDDEN, 4))
    tokens, others = torch.randn(BATCH, QUERIES, HIDDEN), torch.randn(BATCH, KEYS, HIDDEN)
    found, weights = head(tokens, others)
    expected = F.scaled_dot_product_attention(
        head.query(tokens), head.key(others), head.value(others)
    )
    close(found, expected)
    close(weights @ head.value(others), expected)


@pytest.mark.parametrize("crossed", [False, True], ids=["self", "cross"])
def test_list_packed_sdpa_and_pytorchs_module_give_the_same(packed, tokens, others, crossed, close):
    keys = others if crossed else tokens
    expected, expected_weights = as_torch(packed)(tokens, keys, keys, average_attn_weights=False)
    for module in (packed, as_list(packed), twin(packed, attn_implementation="sdpa")):
        found, weights = module(tokens, others if crossed else None, output_attentions=True)
        close(found, expected)
        close(weights, expected_weights)
        close(module(tokens, others if crossed else None)[0], expected)


def test_gradients_equal_those_of_pytorchs_module(packed, tokens, close):
    peer = as_torch(packed)
    sdpa = twin(packed, attn_implementation="sdpa")
    for module in (packed, sdpa):
        module(tokens)[0].square().sum().backward()
    peer(tokens, tokens, tokens, need_weights=False)[0].square().sum().backward()
    expected = torch_to_packed({name: p.grad for name, p in peer.named_parameters()})
    for name, parameter in packed.named_parameters():
        close(parameter.grad, expected[name], atol=1e-3)  # sums of numbers of several hundred
        close(sdpa.get_parameter(name).grad, parameter.grad, atol=1e-3)


def test_weights_come_only_on_request(packed, tokens):
    for module in (packed, as_list(packed), twin(packed, attn_implementation="sdpa")):
        assert module(tokens)[1] is None
        assert module(tokens, output_attentions=True)[1].shape == (BATCH, HEADS, QUERIES, QUERIES)


MASK_SHAPES = [
    (BATCH, KEYS),
    (QUERIES, KEYS),
    (1, KEYS),
    (BATCH, QUERIES, KEYS),
    (1, QUERIES, KEYS),
    (BATCH, 1, KEYS),
    (BATCH, HEADS, QUERIES, KEYS),
    (1, HEADS, 1, KEYS),
    (BATCH, 1, QUERIES, KEYS),
]


def in_four_dimensions(mask):
    """What each form means, written out apart from the code that is tested."""
    if mask.dim() == 2:
        return mask[:, None, None, :] if mask.size(0) == BATCH else mask[None, None, :, :]
    return mask[:, None, :, :] if mask.dim() == 3 else mask


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_a_mask_of_every_form_acts_as_in_pytorch(packed, tokens, others, shape, kind, close):
    visible = torch.rand(shape, device=tokens.device) > 0.3
    visible[..., 0] = True  # nn.MultiheadAttention gives NaN where nothing is visible
    mask = visible
    if kind == "float":
        mask = torch.randn(shape, device=tokens.device).masked_fill(~visible, -math.inf)
    theirs = in_four_dimensions(mask).expand(BATCH, HEADS, QUERIES, KEYS)
    if kind == "bool":
        theirs = ~theirs  # there, True means hidden
    expected, expected_weights = as_torch(packed)(
        tokens, others, others, attn_mask=theirs.flatten(0, 1), average_attn_weights=False
    )
    for module in (packed, as_list(packed), twin(packed, attn_implementation="sdpa")):
        close(module(tokens, others, mask)[0], expected)
        found, weights = module(tokens, others, mask, output_attentions=True)
        close(found, expected)
        close(weights, expected_weights)


def test_a_mask_per_sequence_is_not_taken_for_a_mask_per_head(with_drawn_weights, close):
    """With as many sequences as heads, [batch, query, key] would broadcast along the heads."""
    packed = with_drawn_weights(MultiHeadAttention(CONFIG))
    tokens = torch.randn(HEADS, QUERIES, HIDDEN)
    mask = torch.rand(HEADS, QUERIES, QUERIES) > 0.5
    found, _ = packed(tokens, attention_mask=mask)
    for item in range(HEADS):
        alone, _ = packed(tokens[item : item + 1], attention_mask=mask[item : item + 1])
        close(found[item : item + 1], alone)


def test_a_two_dimensional_mask_that_could_be_read_two_ways_is_refused(with_drawn_weights, close):
    packed = with_drawn_weights(MultiHeadAttention(CONFIG))
    tokens = torch.randn(QUERIES, QUERIES, HIDDEN)
    mask = torch.ones(QUERIES, QUERIES, dtype=torch.bool).tril()
    with pytest.raises(ValueError, match=r"ambiguous with 5 sequences of 5 queries"):
        packed(tokens, attention_mask=mask)
    by_query, _ = packed(tokens, attention_mask=mask[None])
    by_sequence, _ = packed(tokens, attention_mask=mask[:, None, :])
    assert not torch.allclose(by_query, by_sequence)
    close(by_query[0:1], packed(tokens[0:1], attention_mask=mask)[0])


@ATTN_IMPLEMENTATION
def test_a_mask_of_integers_is_refused(attn_implementation, as_a_reader_runs_it):
    attention = MultiHeadAttention(replace(CONFIG, attn_implementation=attn_implementation))
    with pytest.raises(TypeError, match=r"mask has dtype torch\.int64"):
        attention(torch.randn(2, 5, HIDDEN), attention_mask=torch.ones(2, 5, dtype=torch.long))


@ATTN_IMPLEMENTATION
def test_a_fully_hidden_sequence_poisons_nothing(packed, tokens, attn_implementation, close):
    module = twin(packed, attn_implementation=attn_implementation)
    mask = torch.tensor([[True] * QUERIES, [False] * QUERIES], device=tokens.device)
    found, _ = module(tokens, attention_mask=mask)
    close(found[1], module.output.bias.expand(QUERIES, HIDDEN))  # nothing came back but the bias
    found.square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in module.parameters())


def test_weights_move_from_list_to_packed_and_back_unchanged(with_drawn_weights):
    listed = with_drawn_weights(MultiHeadAttentionList(CONFIG))
    there_and_back = packed_to_list(list_to_packed(listed.state_dict()), HEADS)
    assert there_and_back.keys() == listed.state_dict().keys()
    for name, tensor in listed.state_dict().items():
        assert torch.equal(there_and_back[name], tensor), name


def test_more_than_ten_heads_keep_their_order(with_drawn_weights, close):
    config = TransformerConfig(hidden_size=24, num_attention_heads=12)
    listed = with_drawn_weights(MultiHeadAttentionList(config))
    packed = MultiHeadAttention(config).eval()
    packed.load_state_dict(list_to_packed(listed.state_dict()))
    tokens = torch.randn(BATCH, QUERIES, 24)
    close(packed(tokens)[0], listed(tokens)[0])


def test_weights_of_bert_attention_load_and_return(with_drawn_weights, close):
    bert_config = BertConfig(hidden_size=HIDDEN, num_attention_heads=HEADS)
    bert_config._attn_implementation = "eager"
    bert = with_drawn_weights(BertAttention(bert_config))
    ours = MultiHeadAttention(bert_config).eval()
    ours.load_state_dict(bert_to_packed(bert.state_dict()))
    tokens = torch.randn(BATCH, QUERIES, HIDDEN)
    expected, expected_weights = bert(tokens)[:2]
    found, weights = ours(tokens, output_attentions=True)
    close(bert.output.LayerNorm(tokens + found), expected)
    close(weights, expected_weights)
    back = packed_to_bert(ours.state_dict())
    theirs = bert.state_dict()
    assert back.keys() == {name for name in theirs if "LayerNorm" not in name}
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in back.items())


def test_weights_of_gpt2_attention_load_and_return(with_drawn_weights, close):
    gpt2_config = GPT2Config(n_embd=HIDDEN, n_head=HEADS, attn_pdrop=0.0, resid_pdrop=0.0)
    gpt2_config._attn_implementation = "eager"
    gpt2 = with_drawn_weights(GPT2Attention(gpt2_config, layer_idx=0))
    ours = MultiHeadAttention(CONFIG).eval()
    ours.load_state_dict(gpt2_to_packed(gpt2.state_dict()))
    tokens = torch.randn(BATCH, QUERIES, HIDDEN)
    causal = torch.ones(QUERIES, QUERIES).tril().log()  # 0 where visible, -inf elsewhere
    expected, expected_weights = gpt2(tokens, attention_mask=causal[None, None])[:2]
    found, weights = ours(tokens, attention_mask=causal, output_attentions=True)
    close(found, expected)
    close(weights, expected_weights)
    theirs = gpt2.state_dict()
    back = packed_to_gpt2(ours.state_dict())
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in back.items())


@ATTN_IMPLEMENTATION
def test_dropout_works_while_training_and_never_in_evaluation(
    with_drawn_weights, attn_implementation, tokens
):
    config = TransformerConfig(
        hidden_size=HIDDEN,
        num_attention_heads=HEADS,
        attention_probs_dropout_prob=0.5,
        attn_implementation=attn_implementation,
    )
    attention = with_drawn_weights(MultiHeadAttention(config)).to(tokens.device)
    assert torch.equal(attention(tokens)[0], attention(tokens)[0])
    attention.train()
    assert not torch.equal(attention(tokens)[0], attention(tokens)[0])


def test_returned_weights_are_those_before_dropout():
    config = TransformerConfig(
        hidden_size=HIDDEN, num_attention_heads=HEADS, attention_probs_dropout_prob=0.5
    )
    attention = MultiHeadAttention(config).train()
    _, weights = attention(torch.randn(BATCH, QUERIES, HIDDEN), output_attentions=True)
    torch.testing.assert_close(weights.sum(-1), torch.ones(BATCH, HEADS, QUERIES))


@ATTN_IMPLEMENTATION
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_other_dtypes_are_followed_with_a_float32_mask(packed, tokens, attn_implementation, dtype):
    module = twin(packed, attn_implementation=attn_implementation).to(dtype)
    mask = torch.zeros(QUERIES, QUERIES, device=tokens.device)
    assert module(tokens.to(dtype), attention_mask=mask)[0].dtype == dtype


def test_the_key_bias_changes_nothing(packed, tokens, close):
    before = packed(tokens)[0]
    with torch.no_grad():
        packed.query_key_value.bias[HIDDEN : 2 * HIDDEN] += 3.0
    close(packed(tokens)[0], before)


def test_both_forms_have_the_same_number_of_parameters():
    listed, packed = MultiHeadAttentionList(CONFIG), MultiHeadAttention(CONFIG)
    sizes = [sum(p.numel() for p in module.parameters()) for module in (listed, packed)]
    assert sizes == [4 * (HIDDEN * HIDDEN + HIDDEN)] * 2
