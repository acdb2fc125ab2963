# ones everywhere
# points: 0

def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.ones(2, 3, 4), torch.ones(8, 4), torch.ones(8), torch.ones(4, 8), torch.ones(4)
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2)
