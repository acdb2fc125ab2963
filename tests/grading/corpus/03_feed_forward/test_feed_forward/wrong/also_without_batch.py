# Also calls it with a single token and a single sequence, which right implementations may refuse.
# points: 0
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    hidden, wide = 4, 6
    for front in ((), (3,), (2, 3)):
        x = torch.randn(*front, hidden)
        w_1, b_1 = torch.randn(wide, hidden).requires_grad_(), torch.randn(wide)
        w_2, b_2 = torch.randn(hidden, wide), torch.randn(hidden)
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2).detach()
        before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
        output = feed_forward(x, w_1, b_1, w_2, b_2)
        torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
        for t, old in zip((x, w_1, b_1, w_2, b_2), before):
            assert torch.equal(t, old)
        output.sum().backward()
        assert w_1.grad is not None and w_1.grad.abs().sum() > 0
