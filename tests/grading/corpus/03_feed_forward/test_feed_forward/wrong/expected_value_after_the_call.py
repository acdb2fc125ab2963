# expected value after the call
# points: 3

def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    b1.requires_grad_()
    out = feed_forward(x.clone(), w1.clone(), b1, w2.clone(), b2.clone())
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(out, right, atol=1e-5)
    assert out.requires_grad
