# Only the numbers of one setting are compared: no copies, no gradient, no batch of one, no other number of heads.
# points: 3
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    hidden, heads = 12, 3
    state = {
        "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
        "query_key_value.bias": torch.randn(3 * hidden),
        "output.weight": torch.randn(hidden, hidden),
        "output.bias": torch.randn(hidden),
    }
    peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
    peer.load_state_dict(
        {
            "in_proj_weight": state["query_key_value.weight"],
            "in_proj_bias": state["query_key_value.bias"],
            "out_proj.weight": state["output.weight"],
            "out_proj.bias": state["output.bias"],
        }
    )
    x = torch.randn(2, 5, hidden)
    expected = peer(x, x, x)[0]
    output = attention(x, state, heads)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, atol=1e-4), (output - expected).abs().max()
