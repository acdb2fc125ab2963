"""What the page on errors in well-known sources says of them, run.

Each function repeats in our own words what the source computes, and nothing of its text.
"""

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import MistralConfig
from transformers.masking_utils import create_sliding_window_causal_mask

from solutions import load_checkpoint
from solutions.experts import load_balancing_loss
from solutions.masks import causal_mask
from solutions.normalization import PostNorm, PreNorm
from solutions.tokenizers import split_words

PAGE = " ".join(
    (Path(__file__).parents[2] / "chapters" / "appendix_errors.md").read_text("utf-8").split()
)


def deviation_and_eps_outside(x, eps=1e-6):
    """The Annotated Transformer's LayerNorm with gain 1 and bias 0."""
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps)


def test_the_annotated_transformer_divides_by_n_minus_1():
    x = torch.tensor([2.0, 4.0, 9.0])
    theirs, ours = deviation_and_eps_outside(x), F.layer_norm(x, (3,), eps=1e-6)
    with pytest.raises(AssertionError):
        torch.testing.assert_close(theirs, ours)
    assert f"{theirs[2]:.4f} in place of {ours[2]:.4f}" in PAGE
    large = torch.randn(512)
    ratio = F.layer_norm(large, (512,)).std() / deviation_and_eps_outside(large).std()
    assert ratio.item() == pytest.approx(math.sqrt(512 / 511), abs=1e-4)


def test_the_annotated_transformer_puts_eps_outside_of_the_root():
    torch.manual_seed(0)
    x = 1e-4 * F.layer_norm(torch.randn(512), (512,))
    theirs, ours = deviation_and_eps_outside(x), F.layer_norm(x, (512,), eps=1e-6)
    assert f"size {theirs.square().mean().sqrt():.2f} in place of" in PAGE
    assert f"in place of {ours.square().mean().sqrt():.2f}" in PAGE


def test_the_annotated_transformer_says_post_norm_and_computes_pre_norm():
    silent = nn.Linear(8, 8)
    nn.init.zeros_(silent.weight)
    nn.init.zeros_(silent.bias)
    x = 3 * torch.randn(2, 5, 8)
    said = PostNorm(silent, nn.LayerNorm(8))(x)
    computed = PreNorm(silent, nn.LayerNorm(8))(x)
    assert torch.equal(computed, x)
    assert (said - computed).abs().max() > 1


def test_rows_of_weights_sum_to_one_and_columns_do_not():
    torch.manual_seed(0)
    weights = torch.randn(5, 5).softmax(dim=-1)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(5))
    assert (weights.sum(dim=0) - 1).abs().max() > 0.1


def test_the_size_of_a_head_divides_the_size_of_the_model():
    assert 768 / 12 == 64
    assert 768 % 64 == 0
    assert 64 % 768 != 0


def test_eps_of_the_layers_is_not_the_default_of_pytorch():
    checkpoint = load_checkpoint()
    inputs = checkpoint.tokenizer("time flies like an arrow", return_tensors="pt")
    model = checkpoint.load_model().eval()
    with torch.inference_mode():
        right = model(**inputs).last_hidden_state
        for name, norm in model.named_modules():
            if isinstance(norm, nn.LayerNorm) and name.startswith("encoder"):
                norm.eps = 1e-5
        off = (model(**inputs).last_hidden_state - right).abs().max()
    with pytest.raises(AssertionError):
        torch.testing.assert_close(off, torch.tensor(0.0))
    assert f"off by {off:.4f}" in PAGE


def test_deep_learning_for_molecules_scales_by_the_wrong_length_and_sums_over_the_wrong_axis():
    def softmax(x, axis):
        return x.exp() / x.exp().sum(axis)  # the sum loses its axis, as in the source

    torch.manual_seed(0)
    query = torch.randn(11, 4)  # [tokens, features]
    theirs = softmax(query @ query.T / math.sqrt(query.size(0)), 1)
    ours = (query @ query.T / math.sqrt(query.size(1))).softmax(dim=-1)
    torch.testing.assert_close(ours.sum(dim=-1), torch.ones(11))
    assert (theirs.sum(dim=-1) - 1).abs().max() > 0.1
    long = torch.randn(1000, 4)
    scores = long @ long.T / math.sqrt(long.size(0))
    assert scores.std() < 0.1 < 0.5 * (long @ long.T / math.sqrt(4)).std()


def test_a_window_of_mistral_holds_the_token_itself_and_one_less_before_it():
    seen = causal_mask(9, window=4).sum(dim=-1)
    assert seen.tolist() == [1, 2, 3, 4, 4, 4, 4, 4, 4]
    positions = torch.arange(9)
    theirs = create_sliding_window_causal_mask(
        config=MistralConfig(sliding_window=4, attn_implementation="eager"),
        inputs_embeds=torch.zeros(1, 9, 8),
        attention_mask=None,
        past_key_values=None,
        position_ids=positions[None],
    )
    assert (theirs[0, 0] == 0).sum(dim=-1).tolist() == seen.tolist()


def test_an_even_spread_is_not_the_minimum_of_the_balancing_loss():
    even = torch.tensor([[0.01, 0.0], [0.0, 0.01]]).repeat(50, 1)
    assert load_balancing_loss(even, 1).item() == pytest.approx(1)
    uneven = torch.tensor([[0.02, 0.0]] * 60 + [[-12.0, 0.0]] * 40)
    assert f"give {load_balancing_loss(uneven, 1).item():.3f}" in PAGE
    assert load_balancing_loss(uneven, 1) < 0.95


def test_the_library_tokenizers_leaves_256_chinese_characters_with_their_neighbours():
    normalizer = load_checkpoint().tokenizer.backend_tokenizer.normalizer
    block = [chr(code) for code in range(0x2B820, 0x2CEA2)]
    together = [c for c in block if normalizer.normalize_str(f"a{c}b") == f"a{c}b"]
    assert together == block[: 0x2B920 - 0x2B820]
    assert f"{len(together)} rare characters" in PAGE
    assert all(split_words(f"a{c}b") == ["a", c, "b"] for c in block)
