# Draws weights and inputs as small as a fresh model has them: the forms of GELU agree to 1e-5 around zero.
# points: 3
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    # a careful initialisation, as a fresh model has it
    x = torch.randn(2, 5, 8)
    w_1, b_1 = torch.randn(16, 8) * 0.05, torch.randn(16) * 0.05
    w_2, b_2 = torch.randn(8, 16) * 0.5, torch.randn(8) * 0.5
    arguments = [x, w_1, b_1, w_2, b_2]
    for t in arguments[1:]:
        t.requires_grad_()
    kept = [t.detach().clone() for t in arguments]
    expected = (F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2).detach()
    output = feed_forward(*arguments)
    assert output.shape == x.shape
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for t, k in zip(arguments, kept):
        assert torch.equal(t, k)
    output.sum().backward()
    for t in arguments[1:]:
        assert t.grad is not None
