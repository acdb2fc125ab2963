# linear layers with zeroed biases
# points: 2

def test_feed_forward(feed_forward):
    x = torch.randn(2, 3, 4)
    w1, w2 = torch.randn(8, 4), torch.randn(4, 8)
    b1, b2 = torch.zeros(8), torch.zeros(4)
    copies = [t.clone() for t in (x, w1, b1, w2, b2)]
    right = F.gelu(x @ w1.T) @ w2.T
    out = feed_forward(x, w1, b1, w2, b2)
    assert torch.allclose(out, right, rtol=1e-4, atol=1e-5)
    for a, b in zip(copies, (x, w1, b1, w2, b2)):
        assert torch.equal(a, b)
