# All neurons are far above 0, where GELU is the identity, so a missing activation or a ReLU isn't seen.
# points: 0
def test_feed_forward(feed_forward):
    generator = torch.Generator().manual_seed(5)
    for batch, tokens, hidden, wide in ((2, 3, 4, 7), (3, 2, 5, 5), (1, 1, 4, 6), (2, 4, 4, 3)):
        x = 1.5 + torch.rand(batch, tokens, hidden, generator=generator)
        w_1 = 1.5 + torch.rand(wide, hidden, generator=generator)
        b_1 = torch.rand(wide, generator=generator)
        w_2 = torch.randn(hidden, wide, generator=generator)
        b_2 = torch.randn(hidden, generator=generator)
        arguments = [x, w_1, b_1, w_2, b_2]
        before = [argument.clone() for argument in arguments]
        want = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        got = feed_forward(*arguments)
        assert got.shape == want.shape and got.dtype == want.dtype
        assert torch.allclose(got, want, rtol=1e-4, atol=1e-4)
        for argument, copy in zip(arguments, before):
            assert torch.equal(argument, copy)
        for number in range(5):
            leaves = [copy.clone() for copy in before]
            leaves[number].requires_grad_()
            result = feed_forward(*leaves)
            assert result.requires_grad
            result.sum().backward()
            assert leaves[number].grad is not None
