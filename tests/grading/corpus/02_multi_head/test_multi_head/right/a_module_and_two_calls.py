# a module and two calls
# points: 4

import copy
def test_multi_head(attention):
    for heads in (2, 3):
        m = nn.MultiheadAttention(12, heads, batch_first=True)
        for p in m.parameters():
            nn.init.normal_(p)
        s = m.state_dict()
        state = {"query_key_value.weight": s["in_proj_weight"].clone() * 0.5, "query_key_value.bias": s["in_proj_bias"].clone(),
                 "output.weight": s["out_proj.weight"].clone(), "output.bias": s["out_proj.bias"].clone()}
        m.load_state_dict({"in_proj_weight": s["in_proj_weight"] * 0.5, "in_proj_bias": s["in_proj_bias"],
                           "out_proj.weight": s["out_proj.weight"], "out_proj.bias": s["out_proj.bias"]})
        for batch in (1, 4):
            x = torch.randn(batch, 5, 12, requires_grad=True)
            y, st = x.detach().clone(), copy.deepcopy(state)
            expected = m(x, x, x)[0]
            for _ in range(2):
                out = attention(x, state, heads)
                assert out.shape == (batch, 5, 12)
                assert (out - expected).abs().max() < 1e-3
                assert out.requires_grad
                out.sum().backward()
                assert x.grad is not None and x.grad.abs().max() > 0
            assert (x == y).all()
            for name in st:
                assert (state[name] == st[name]).all()
