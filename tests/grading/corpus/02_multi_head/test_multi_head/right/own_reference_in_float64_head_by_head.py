# own reference in float64, head by head
# points: 4

def test_multi_head(attention):
    def reference(x, s, H):
        s = {k: v.double() for k, v in s.items()}
        x = x.double()
        E = x.size(-1); D = E // H
        p = x @ s["query_key_value.weight"].T + s["query_key_value.bias"]
        cs = []
        for h in range(H):
            q, k, v = (p[..., i * E + h * D:i * E + h * D + D] for i in range(3))
            cs.append((q @ k.mT / math.sqrt(D)).softmax(-1) @ v)
        return torch.cat(cs, -1) @ s["output.weight"].T + s["output.bias"]
    g = torch.Generator().manual_seed(7)
    for B, T, H, D in ((1, 3, 2, 2), (2, 4, 3, 3), (3, 5, 4, 2), (2, 3, 1, 4)):
        E = H * D
        r = lambda *shape: torch.randn(*shape, generator=g)
        s = {"query_key_value.weight": r(3 * E, E) * .5, "query_key_value.bias": r(3 * E),
             "output.weight": r(E, E) * .5, "output.bias": r(E)}
        x = r(B, T, E)
        want = reference(x, s, H)
        keep = {k: v.clone() for k, v in s.items()}
        xx = x.clone().requires_grad_()
        for _ in range(2):
            got = attention(xx, s, H)
            torch.testing.assert_close(got.double(), want, atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(xx.detach(), x, atol=0, rtol=0)
            for k in keep:
                torch.testing.assert_close(s[k], keep[k], atol=0, rtol=0)
        (gradient,) = torch.autograd.grad(got.sum(), xx)
