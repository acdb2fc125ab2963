# the default module with its zero biases
# points: 2

def test_multi_head(attention):
    m = nn.MultiheadAttention(24, 4, batch_first=True)
    state = {"query_key_value.weight": 5 * m.in_proj_weight.detach(), "query_key_value.bias": m.in_proj_bias.detach(),
             "output.weight": m.out_proj.weight.detach(), "output.bias": m.out_proj.bias.detach()}
    x = torch.randn(3, 7, 24)
    with torch.no_grad():
        m.in_proj_weight *= 5
    state["query_key_value.weight"] = m.in_proj_weight.detach().clone()
    assert same(attention(x, state, 4), m(x, x, x)[0])
