# Asks x alone for a gradient: the wrong ones are cut off from all arguments.
# points: 4
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1, b_1 = torch.randn(7, 5), torch.randn(7)
    w_2, b_2 = torch.randn(5, 7), torch.randn(5)
    arguments = [x, w_1, b_1, w_2, b_2]
    copies = [t.clone() for t in arguments]
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
    output = feed_forward(*arguments)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)
    for argument, copy in zip(arguments, copies):
        assert torch.equal(argument, copy)
    copies[0].requires_grad_()
    feed_forward(*copies).sum().backward()
    assert copies[0].grad is not None
