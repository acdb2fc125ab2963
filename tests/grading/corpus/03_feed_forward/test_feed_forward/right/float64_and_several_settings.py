# float64 and several settings
# points: 4

def test_feed_forward(feed_forward):
    g = torch.Generator().manual_seed(7)
    for B, T, D, N in ((1, 1, 3, 5), (3, 4, 5, 11), (2, 7, 6, 6)):
        args = [torch.randn(s, generator=g) for s in ((B, T, D), (N, D), (N,), (D, N), (D,))]
        before = [a.clone() for a in args]
        x, a, b, c, d = [t.double() for t in args]
        h = x @ a.mT + b
        want = (h * 0.5 * (1 + torch.erf(h / 2**0.5))) @ c.mT + d
        got = feed_forward(*args)
        assert got.shape == want.shape
        assert (got.double() - want).abs().max() <= 2e-5
        for t, u in zip(args, before):
            assert torch.equal(t, u)
        for t in args:
            t.requires_grad_()
        grads = torch.autograd.grad(feed_forward(*args).sum(), args)
        assert all(gr.abs().sum() > 0 for gr in grads)
