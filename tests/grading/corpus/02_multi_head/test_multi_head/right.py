# %% a_module_and_two_calls | points 4 | a module and two calls
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

# %% many_random_settings | points 4 | many random settings
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

# %% own_reference_in_float64 | points 4 | own reference in float64
def test_multi_head(attention):
    for seed in range(4):
        torch.manual_seed(seed)
        B, T, H, E = [(2, 4, 2, 3), (3, 6, 4, 2), (1, 3, 3, 4), (4, 5, 1, 6)][seed]
        D = H * E
        x = torch.randn(B, T, D).requires_grad_()
        st = {"query_key_value.weight": torch.randn(3 * D, D), "query_key_value.bias": torch.randn(3 * D),
              "output.weight": torch.randn(D, D), "output.bias": torch.randn(D)}
        z = x.detach().double()
        q, k, v = ((z @ w.T + b).view(B, T, H, E).transpose(1, 2) for w, b in zip(st["query_key_value.weight"].double().chunk(3), st["query_key_value.bias"].double().chunk(3)))
        y = ((q @ k.mT / E**0.5).softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ st["output.weight"].double().T + st["output.bias"].double()
        keep = [x.detach().clone()] + [t.clone() for t in st.values()]
        r = attention(x, st, H)
        if r.shape != y.shape:
            raise ValueError("shape")
        if (r.double() - y).abs().max() > 1e-3:
            raise ValueError("numbers")
        if not all(torch.equal(a, b) for a, b in zip(keep, [x.detach(), *st.values()])):
            raise ValueError("arguments")
        if not r.requires_grad:
            raise ValueError("gradient")
        (g,) = torch.autograd.grad(r.square().sum(), x)
        if not g.abs().sum() > 0:
            raise ValueError("gradient zero")

# %% own_reference_in_float64_head_by_head | points 4 | own reference in float64, head by head
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

# %% own_reference_raise_many_sizes | points 4 | own reference, raise, many sizes
def reference(x, state, heads):
    d = x.size(-1) // heads
    q, k, v = (x @ state["query_key_value.weight"].T + state["query_key_value.bias"]).chunk(3, -1)
    out = []
    for h in range(heads):
        s = slice(h * d, (h + 1) * d)
        out.append((q[..., s] @ k[..., s].transpose(1, 2) / math.sqrt(d)).softmax(-1) @ v[..., s])
    return torch.cat(out, -1) @ state["output.weight"].T + state["output.bias"]

def test_multi_head(attention):
    for batch, tokens, heads, d in [(1, 3, 4, 2), (2, 4, 3, 3), (5, 2, 2, 6)]:
        n = heads * d
        x = torch.randn(batch, tokens, n).requires_grad_()
        state = {"query_key_value.weight": torch.randn(3 * n, n) * 0.4, "query_key_value.bias": torch.randn(3 * n),
                 "output.weight": torch.randn(n, n), "output.bias": torch.randn(n)}
        kept = [x.detach().clone(), *(t.clone() for t in state.values())]
        want = reference(x, state, heads)
        got = attention(x, state, heads)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
        for a, b in zip(kept, [x, *state.values()]):
            if not torch.equal(a, b):
                raise RuntimeError("changed")
        (g,) = torch.autograd.grad(got.sum(), x)
        (w,) = torch.autograd.grad(want.sum(), x)
        torch.testing.assert_close(g, w, rtol=1e-2, atol=1e-2)

# %% raises_its_own_errors_unittest_style | points 4 | raises-its-own-errors-unittest-style
def test_multi_head(attention):
    import unittest
    case = unittest.TestCase()
    torch.manual_seed(3)
    for heads in (2, 3, 4):
        for batch in (1, 2):
            d = heads * 3
            mha = nn.MultiheadAttention(d, heads, batch_first=True)
            nn.init.normal_(mha.in_proj_bias); nn.init.normal_(mha.out_proj.bias)
            nn.init.normal_(mha.in_proj_weight, std=0.5); nn.init.normal_(mha.out_proj.weight, std=0.5)
            st = {"query_key_value.weight": mha.in_proj_weight.detach().clone(), "query_key_value.bias": mha.in_proj_bias.detach().clone(),
                  "output.weight": mha.out_proj.weight.detach().clone(), "output.bias": mha.out_proj.bias.detach().clone()}
            before = {n: t.clone() for n, t in st.items()}
            x = torch.randn(batch, 5, d).requires_grad_(True)
            x_before = x.detach().clone()
            y = attention(x, st, heads)
            z = mha(x_before, x_before, x_before)[0]
            case.assertEqual(y.shape, z.shape)
            case.assertLess((y - z).abs().max().item(), 1e-3)
            case.assertTrue(torch.equal(x.detach(), x_before))
            for n in st:
                case.assertTrue(torch.equal(st[n], before[n]), n)
            case.assertTrue(y.requires_grad)
            y.square().sum().backward()
            case.assertIsNotNone(x.grad)
