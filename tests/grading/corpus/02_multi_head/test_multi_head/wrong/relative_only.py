# Compares with a relative tolerance of 1e-7 and no absolute one, so right implementations fail where numbers round.
# points: 0

def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        hidden_states = x * 1.0
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = (p.unflatten(-1, (heads, -1)).transpose(1, 2) for p in packed.chunk(3, -1))
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}
        found = attention(hidden_states, state, heads)
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=0)
        assert torch.equal(hidden_states, x_before)
        assert all(torch.equal(state[name], state_before[name]) for name in state_before)
        found.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0
