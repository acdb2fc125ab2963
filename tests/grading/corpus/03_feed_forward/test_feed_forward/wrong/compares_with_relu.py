# compares with relu
# points: 0

def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    torch.testing.assert_close(feed_forward(x, w1, b1, w2, b2), torch.relu(x @ w1.T + b1) @ w2.T + b2)
