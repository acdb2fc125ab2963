# Compares with torch.equal, which rejects right answers that add in another order.
# points: 0
def test_multi_head(attention):
    for batch, tokens, heads, head_size in ((2, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden),
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden),
            "output.bias": torch.randn(hidden),
        }
        packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = packed.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        copies = {n: t.clone() for n, t in state.items()}
        x_copy = x.detach().clone()
        out = attention(x, state, heads)
        assert torch.equal(out, expected)
        assert torch.equal(x, x_copy)
        for n in copies:
            assert torch.equal(copies[n], state[n])
        out.sum().backward()
        assert x.grad is not None
