# many random settings
# points: 4

def test_multi_head(attention):
    for batch, tokens, heads, size in [(1, 5, 2, 4), (4, 3, 4, 3), (2, 6, 3, 2)]:
        d = heads * size
        m = nn.MultiheadAttention(d, heads, batch_first=True)
        for p in m.parameters():
            nn.init.normal_(p)
        p = {"query_key_value.weight": m.in_proj_weight.data.clone(), "query_key_value.bias": m.in_proj_bias.data.clone(),
             "output.weight": m.out_proj.weight.data.clone(), "output.bias": m.out_proj.bias.data.clone()}
        old = {k: v.clone() for k, v in p.items()}
        x = torch.randn(batch, tokens, d)
        x0 = x.clone()
        want = m(x, x, x)[0].detach()
        got = attention(x, p, heads)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)
        assert (x == x0).all() and all((p[k] == old[k]).all() for k in p)
        x.requires_grad_(True)
        attention(x, p, heads).pow(2).mean().backward()
        assert x.grad is not None and x.grad.norm() > 0
