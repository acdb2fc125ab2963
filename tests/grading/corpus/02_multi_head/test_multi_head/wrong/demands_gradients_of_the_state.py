# Asks for gradients of the state's tensors, too, and so rejects right ones that load copies into a module.
# points: 0
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, size in [(2, 5, 2, 3), (1, 4, 3, 4)]:
        hidden = heads * size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        shapes = {
            "query_key_value.weight": (3 * hidden, hidden),
            "query_key_value.bias": (3 * hidden,),
            "output.weight": (hidden, hidden),
            "output.bias": (hidden,),
        }
        state = {name: torch.randn(s).div(2).requires_grad_() for name, s in shapes.items()}
        before = {name: t.detach().clone() for name, t in state.items()}
        x_before = x.detach().clone()
        mha = nn.MultiheadAttention(hidden, heads, batch_first=True)
        mha.load_state_dict(dict(zip(["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"], before.values())))
        expected = mha(x_before, x_before, x_before)[0]
        result = attention(x, state, heads)
        assert result.shape == expected.shape
        assert torch.allclose(result, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(x, x_before)
        for name in state:
            assert torch.equal(state[name], before[name])
        result.sum().backward()
        for tensor in [x, *state.values()]:
            assert tensor.grad is not None, "no gradient"
