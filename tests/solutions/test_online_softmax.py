import math

import pytest
import torch
import torch.nn.functional as F

from solutions.masks import causal_mask
from solutions.online_softmax import online_attention
from solutions.simple_attention import scaled_dot_product_attention


@pytest.mark.parametrize("block_size", [1, 3, 16, 100])
def test_blocks_of_any_size_give_pytorchs_attention_and_its_gradients(block_size, close):
    inputs = [torch.randn(2, 3, n, d, requires_grad=True) for n, d in ((5, 8), (16, 8), (16, 6))]
    for mask in (None, causal_mask(5, 16), torch.randn(2, 1, 5, 16)):
        found = online_attention(*inputs, mask, block_size)
        expected = F.scaled_dot_product_attention(*inputs, mask)
        close(found, expected)
        gradients = [torch.autograd.grad(x.square().sum(), inputs) for x in (found, expected)]
        for mine, theirs in zip(*gradients, strict=True):
            close(mine, theirs, rtol=1e-4)


@pytest.mark.parametrize("factor", [1e3, 1e5])
def test_scores_too_large_for_exp_do_no_harm(factor, close):
    query, key, value = torch.randn(3, 2, 9, 8).double()
    query = query * factor  # exp of a thousand is infinite
    found = online_attention(query, key, value, block_size=4)
    close(found, F.scaled_dot_product_attention(query, key, value))


@pytest.mark.parametrize("block_size", [1, 2, 3, 100])
def test_blocks_that_are_hidden_and_queries_that_see_nothing(block_size, close):
    query, key, value = torch.randn(3, 4, 7, 8)
    mask = torch.rand(4, 7, 7) > 0.5
    mask[0, 1] = False  # sees nothing
    mask[:, 2, :5] = False  # its first blocks are hidden
    expected = scaled_dot_product_attention(query, key, value, mask)
    close(online_attention(query, key, value, mask, block_size), expected)
    additive = torch.zeros(4, 7, 7).masked_fill(~mask, -math.inf)
    close(online_attention(query, key, value, additive, block_size), expected)
    assert (expected[0, 1] == 0).all()


def test_half_precision_is_computed_in_float32(close):
    query, key, value = torch.randn(3, 2, 9, 8).bfloat16()
    found = online_attention(query, key, value, block_size=2)
    assert found.dtype == torch.bfloat16
    expected = F.scaled_dot_product_attention(query.float(), key.float(), value.float())
    close(found, expected.bfloat16(), rtol=1e-2)
