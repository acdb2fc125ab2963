# float64-reference-token-by-token
# points: 4

def test_feed_forward(feed_forward):
    for B, T, H, W in ((2, 3, 4, 7), (3, 2, 5, 6)):
        x, w1, b1, w2, b2 = (torch.randn(*s) for s in ((B, T, H), (W, H), (W,), (H, W), (H,)))
        orig = [t.clone() for t in (x, w1, b1, w2, b2)]
        leaf = [t.clone().requires_grad_() for t in orig]
        y = feed_forward(*leaf)
        for b in range(B):
            for t in range(T):
                z = w1.double() @ x[b, t].double() + b1.double()
                z = z * 0.5 * (1 + torch.erf(z * 0.5 ** 0.5))
                r = w2.double() @ z + b2.double()
                assert ((y[b, t].double() - r).abs() <= 2e-5 + 1e-5 * r.abs()).all()
        for a, o in zip(leaf, orig):
            assert torch.equal(a.detach(), o)
        y.sum().backward()
        assert all(t.grad is not None for t in leaf)
        feed_forward(x, w1, b1, w2, b2)
        for a, o in zip((x, w1, b1, w2, b2), orig):
            assert torch.equal(a, o)
