# relu-as-the-reference
# points: 0

def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.randn(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.relu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None
