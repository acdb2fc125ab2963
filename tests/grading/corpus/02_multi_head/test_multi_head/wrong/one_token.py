# one token
# points: 0

def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 1, 2, 4), (1, 1, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0
