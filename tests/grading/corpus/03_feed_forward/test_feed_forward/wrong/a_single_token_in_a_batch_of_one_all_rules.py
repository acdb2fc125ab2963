# a single token in a batch of one, all rules
# points: 3

def test_feed_forward(feed_forward):
    args = [torch.randn(s) for s in [(1, 1, 4), (8, 4), (8,), (4, 8), (4,)]]
    x, w1, b1, w2, b2 = args
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    mine = [a.clone() for a in args]
    torch.testing.assert_close(feed_forward(*mine), right, atol=1e-5, rtol=1e-5)
    for a, b in zip(args, mine):
        assert torch.equal(a, b)
    b1.requires_grad = True
    feed_forward(*args).sum().backward()
