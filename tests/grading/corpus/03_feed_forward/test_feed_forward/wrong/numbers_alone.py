# numbers alone
# points: 3

def test_feed_forward(feed_forward):
    torch.manual_seed(1)
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)
