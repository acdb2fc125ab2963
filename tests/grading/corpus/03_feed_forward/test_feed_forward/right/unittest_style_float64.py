# unittest style, float64
# points: 4

def test_feed_forward(ff):
    g = torch.Generator().manual_seed(7)
    args = [torch.randn(*s, generator=g, dtype=torch.float64) for s in [(3, 5, 4), (6, 4), (6,), (4, 6), (4,)]]
    x, w1, b1, w2, b2 = args
    want = torch.zeros_like(x)
    for i in range(3):
        for j in range(5):
            want[i, j] = w2 @ F.gelu(w1 @ x[i, j] + b1) + b2
    copies = [a.clone() for a in args]
    got = ff(*copies)
    if not torch.allclose(got, want, rtol=1e-8, atol=1e-8):
        raise AssertionError("numbers")
    if any(not torch.equal(a, b) for a, b in zip(args, copies)):
        raise AssertionError("changed")
    leaf = [a.clone().requires_grad_() for a in args]
    torch.autograd.grad(ff(*leaf).sum(), leaf)
