# Rule 4 is tested by result.requires_grad only: a wrong version requires no gradient.
# points: 4
def test_feed_forward(feed_forward) -> None:
    torch.manual_seed(0)
    for batch, tokens, hidden, wide in [(2, 3, 4, 6), (3, 2, 5, 5), (1, 4, 3, 8)]:
        given = [torch.randn(s) for s in [(batch, tokens, hidden), (wide, hidden), (wide,), (hidden, wide), (hidden,)]]
        kept = [tensor.clone() for tensor in given]
        x, w_1, b_1, w_2, b_2 = [tensor.double() for tensor in kept]
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        result = feed_forward(*given)
        assert result.shape == expected.shape
        assert torch.allclose(result.detach().double(), expected, rtol=1e-5, atol=2e-5)
        assert all(torch.equal(a, b) for a, b in zip(given, kept))
        result = feed_forward(*[tensor.clone().requires_grad_() for tensor in kept])
        assert result.requires_grad
