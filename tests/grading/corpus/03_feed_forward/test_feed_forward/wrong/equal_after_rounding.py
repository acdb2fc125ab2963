# Rounds both results to five decimals and asks for equal numbers, which right ones on the two sides of a border don't give.
# points: 0
def test_feed_forward(feed_forward):
    generator = torch.Generator().manual_seed(5)
    for batch, tokens, hidden, wide in ((2, 16, 8, 32), (3, 8, 16, 16), (1, 1, 3, 6), (2, 4, 2, 3)):
        shapes = [(batch, tokens, hidden), (wide, hidden), (wide,), (hidden, wide), (hidden,)]
        arguments = [torch.randn(shape, generator=generator) for shape in shapes]
        before = [argument.clone() for argument in arguments]
        x, w_1, b_1, w_2, b_2 = before
        want = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        got = feed_forward(*arguments)
        assert got.shape == want.shape and got.dtype == want.dtype
        assert torch.equal(torch.round(got * 1e5), torch.round(want * 1e5))
        for argument, copy in zip(arguments, before):
            assert torch.equal(argument, copy)
        for number in range(5):
            leaves = [copy.clone() for copy in before]
            leaves[number].requires_grad_()
            result = feed_forward(*leaves)
            assert result.requires_grad
            result.sum().backward()
            assert leaves[number].grad is not None
