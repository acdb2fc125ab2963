# The biases are zero, so nobody can see that one is lost.
# points: 3
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4)
    w_1, b_1 = torch.randn(6, 4, requires_grad=True), torch.zeros(6)
    w_2, b_2 = torch.randn(4, 6), torch.zeros(4)
    arguments = [x, w_1, b_1, w_2, b_2]
    copies = [argument.detach().clone() for argument in arguments]
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2).detach()
    output = feed_forward(*arguments)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, atol=1e-5, rtol=1e-5)
    for argument, copy in zip(arguments, copies):
        assert torch.equal(argument, copy)
    output.sum().backward()
    assert w_1.grad is not None
