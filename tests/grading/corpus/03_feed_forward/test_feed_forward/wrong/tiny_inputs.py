# all numbers a hundredth: no activation but a coarse one shows
# points: 0

def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) / 100 for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"
