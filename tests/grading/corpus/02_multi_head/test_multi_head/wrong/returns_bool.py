# Returns True or False instead of raising.
# points: 0
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, heads in ((2, 2), (1, 3)):
        hidden = 4 * heads
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        nn.init.normal_(peer.in_proj_bias)
        nn.init.normal_(peer.out_proj.bias)
        state = {
            "query_key_value.weight": peer.in_proj_weight.detach().clone(),
            "query_key_value.bias": peer.in_proj_bias.detach().clone(),
            "output.weight": peer.out_proj.weight.detach().clone(),
            "output.bias": peer.out_proj.bias.detach().clone(),
        }
        x = torch.randn(batch, 5, hidden)
        expected = peer(x, x, x)[0]
        found = attention(x.clone(), state, heads)
        if found.shape != expected.shape or not torch.allclose(found, expected, atol=1e-4):
            return False
    return True
