# Draws everything in float64 and asks for 1e-10: right ones return float32 and are rejected.
# points: 0
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    old = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        run_all(attention)
    finally:
        torch.set_default_dtype(old)


def run_all(attention):
    for batch, tokens, heads, head_size in ((2, 5, 2, 3), (1, 4, 3, 4), (3, 6, 4, 2)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) * 0.5,
            "output.bias": torch.randn(hidden),
        }
        with torch.no_grad():
            peer.in_proj_weight.copy_(state["query_key_value.weight"])
            peer.in_proj_bias.copy_(state["query_key_value.bias"])
            peer.out_proj.weight.copy_(state["output.weight"])
            peer.out_proj.bias.copy_(state["output.bias"])
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        expected = peer(x, x, x)[0].detach()
        x_before = x.detach().clone()
        state_before = {name: t.clone() for name, t in state.items()}
        found = attention(x, state, heads)
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-10, atol=1e-10)
        assert torch.equal(x, x_before)
        for name in state:
            assert torch.equal(state[name], state_before[name])
        found.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0
