import math

import pytest
import torch
from torch import nn
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama

from solutions import TransformerConfig
from solutions.positions import (
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_bias,
    alibi_slopes,
    interleaved_to_half_split,
    position_ids_of,
)
from solutions.simple_attention import attention_weights

GAPPED = torch.tensor([[0, 1, 5, 6, 40], [3, 4, 100, 7, 500]])  # not arange, on purpose


def test_real_tokens_are_numbered_from_zero_wherever_the_padding_lies():
    mask = torch.tensor([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 0]])
    expected = [[0, 1, 2, 2, 2], [0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]]
    assert position_ids_of(mask).tolist() == expected
    assert position_ids_of(mask.bool()).tolist() == expected


def test_learned_positions_are_rows_of_a_table():
    config = TransformerConfig(hidden_size=8, num_attention_heads=2, max_position_embeddings=501)
    positions = LearnedPositions(config)
    assert torch.equal(positions(GAPPED), positions.weight[GAPPED])
    positions(GAPPED).sum().backward()
    assert positions.weight.grad[GAPPED].abs().sum() > 0


@pytest.mark.parametrize("wrong", [500, -1])
def test_a_position_beyond_the_table_is_refused_with_its_number(wrong):
    config = TransformerConfig(hidden_size=8, num_attention_heads=2, max_position_embeddings=500)
    with pytest.raises(ValueError, match=rf"Found positions .*{wrong}.* only the 500 positions"):
        LearnedPositions(config)(torch.tensor([[3, wrong]]))


@pytest.mark.parametrize("hidden_size", [8, 7, 1])
def test_sinusoids_are_the_papers_formula_number_by_number(hidden_size, close):
    found = SinusoidalPositions(hidden_size)(GAPPED)
    expected = torch.zeros(2, 5, hidden_size, dtype=torch.float64)
    for b in range(2):
        for t in range(5):
            for j in range(hidden_size):
                angle = GAPPED[b, t].item() / 10000 ** (2 * (j // 2) / hidden_size)
                expected[b, t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    close(found, expected.float(), atol=5e-5)  # 500 in float32 has 3e-5 of uncertainty


def test_sinusoids_equal_gptjs_apart_from_the_order(close):
    found = SinusoidalPositions(8)(torch.arange(50))
    sines_then_cosines = torch.cat([found[:, 0::2], found[:, 1::2]], dim=1)
    close(sines_then_cosines, modeling_gptj.create_sinusoidal_positions(50, 8))


def test_shifting_a_sinusoid_is_one_rotation_for_all_positions(close):
    sinusoids, shift, size = SinusoidalPositions(8), 7, 8
    angle = shift * 10000.0 ** (-torch.arange(0, size, 2) / size)
    blocks = [
        torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angle
    ]
    rotation = torch.block_diag(*blocks)
    positions = torch.arange(60)
    close(sinusoids(positions) @ rotation.T, sinusoids(positions + shift), atol=2e-5)


def test_a_model_in_bfloat16_keeps_its_sinusoids_exact(close):
    model = nn.Sequential(SinusoidalPositions(8)).to(torch.bfloat16)
    close(model(torch.tensor([1001])), SinusoidalPositions(8)(torch.tensor([1001])))


def test_half_split_rotary_equals_llamas(close):
    llama_config = LlamaConfig(
        hidden_size=24,
        num_attention_heads=3,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    )
    query, key = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 8)
    cos, sin = modeling_llama.LlamaRotaryEmbedding(llama_config)(query, GAPPED)
    expected = modeling_llama.apply_rotary_pos_emb(query, key, cos, sin)
    rotary = RotaryPositions(8, base=500.0)
    close(rotary(query, GAPPED), expected[0])
    close(rotary(key, GAPPED), expected[1])


def test_interleaved_rotary_equals_gptjs(close):
    query = torch.randn(2, 3, 5, 8)
    sines, cosines = modeling_gptj.create_sinusoidal_positions(501, 8)[GAPPED].chunk(2, dim=-1)
    expected = modeling_gptj.apply_rotary_pos_emb(query.transpose(1, 2), sines, cosines)
    close(RotaryPositions(8, convention="interleaved")(query, GAPPED), expected.transpose(1, 2))


@pytest.mark.parametrize("convention", ["half_split", "interleaved"])
def test_rotary_scores_depend_on_the_distance_only(convention, close):
    rotary = RotaryPositions(8, convention=convention)
    query, key = torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)

    def score(query_position, key_position):
        at_m = rotary(query, torch.tensor([[query_position]]))
        at_n = rotary(key, torch.tensor([[key_position]]))
        return (at_m * at_n).sum()

    close(score(9, 4), score(105, 100), atol=5e-5)
    close(score(5, 0), score(9, 4))
    assert (score(9, 4) - score(4, 9)).abs() > 1e-3  # the direction counts


@pytest.mark.parametrize("convention", ["half_split", "interleaved"])
def test_rotary_keeps_lengths_and_leaves_position_zero_alone(convention, close):
    rotary, states = RotaryPositions(8, convention=convention), torch.randn(2, 3, 5, 8)
    close(rotary(states, GAPPED).norm(dim=-1), states.norm(dim=-1))
    assert torch.equal(rotary(states, torch.zeros(1, 5, dtype=torch.long)), states)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_rotary_turns_in_float32_and_gives_the_dtype_back(dtype):
    states = torch.randn(2, 3, 5, 8)
    exact = RotaryPositions(8)(states.to(dtype).float(), GAPPED)
    found = RotaryPositions(8).to(dtype)(states.to(dtype), GAPPED)
    assert found.dtype == dtype
    torch.testing.assert_close(found, exact.to(dtype))


def test_reordered_weights_give_the_scores_of_the_other_convention(close):
    heads, size, hidden = 3, 8, 24
    tokens = torch.randn(2, 5, hidden)
    projections = [nn.Linear(hidden, heads * size) for _ in range(2)]

    def weights(projections, convention):
        rotary = RotaryPositions(size, convention=convention)
        query, key = (
            rotary(p(tokens).unflatten(-1, (heads, size)).transpose(1, 2), GAPPED)
            for p in projections
        )
        return attention_weights(query, key)

    expected = weights(projections, "interleaved")
    assert not torch.allclose(weights(projections, "half_split"), expected)
    for projection in projections:
        projection.load_state_dict(
            {k: interleaved_to_half_split(v, heads) for k, v in projection.state_dict().items()}
        )
    close(weights(projections, "half_split"), expected)


def test_rotary_refuses_what_has_no_pairs_and_what_it_does_not_know(as_a_reader_runs_it):
    with pytest.raises(ValueError, match="head_size is 7"):
        RotaryPositions(7)
    with pytest.raises(ValueError, match="No convention 'split'"):
        RotaryPositions(8, convention="split")


@pytest.mark.parametrize("heads", [1, 2, 3, 6, 8, 12, 16, 20])
def test_alibi_is_blooms_for_any_number_of_heads(heads, close):
    """BLOOM adds slope * key position, which in a softmax over the past is the same."""
    tokens = 6
    mask = torch.ones(1, tokens, dtype=torch.long)
    causal = torch.ones(tokens, tokens).tril().log()
    bloom = build_alibi_tensor(mask, heads, torch.float32)  # [heads, 1, key]
    positions = torch.arange(tokens)[None]
    ours = alibi_bias(heads, positions, positions)[0]  # [heads, query, key]
    close((ours + causal).softmax(-1), (bloom + causal).softmax(-1))


def test_alibi_slopes_of_eight_heads_are_the_papers():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]


def test_alibi_falls_with_the_distance_on_both_sides():
    bias = alibi_bias(2, torch.tensor([[7]]), torch.tensor([[4, 6, 7, 8, 12]]))
    assert bias.shape == (1, 2, 1, 5)
    slope = alibi_slopes(2)[0].item()
    assert bias[0, 0, 0].tolist() == [-3 * slope, -slope, 0, -slope, -5 * slope]
