# The result must equal the expected one bit by bit, so right implementations are rejected.
# points: 0
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    for batch, heads in ((2, 3), (1, 4)):
        hidden = 4 * heads
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        nn.init.normal_(peer.in_proj_bias)
        nn.init.normal_(peer.out_proj.bias)
        state = {
            "query_key_value.weight": peer.in_proj_weight.detach(),
            "query_key_value.bias": peer.in_proj_bias.detach(),
            "output.weight": peer.out_proj.weight.detach(),
            "output.bias": peer.out_proj.bias.detach(),
        }
        x = torch.randn(batch, 5, hidden, requires_grad=True)
        before = x.detach().clone()
        expected, _ = peer(x, x, x)
        output = attention(x, state, heads)
        assert torch.equal(output, expected)
        assert torch.equal(x, before)
        output.sum().backward()
        assert x.grad is not None
