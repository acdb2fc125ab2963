# expected numbers are computed after the call, without copies
# points: 3

def test_multi_head(attention):
    torch.manual_seed(1)
    for batch, tokens, heads, size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        found = attention(x, state, heads)
        packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = (p.unflatten(-1, (heads, -1)).transpose(1, 2) for p in packed.chunk(3, -1))
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        found.sum().backward()
        assert x.grad.abs().sum() > 0
