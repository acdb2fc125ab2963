# time first forgotten in the oracle
# points: 0

def test_multi_head(attention):
    x, state, _ = setting(3, 5, 4, 6)
    m = nn.MultiheadAttention(24, 4)
    m.load_state_dict(dict(zip(("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"), state.values())))
    assert same(attention(x, state, 4), m(x, x, x)[0])
