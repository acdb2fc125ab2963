# one vector, though three axes were promised
# points: 0

def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(w1 @ x + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)
