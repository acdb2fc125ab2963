# own reference in float64
# points: 4

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
