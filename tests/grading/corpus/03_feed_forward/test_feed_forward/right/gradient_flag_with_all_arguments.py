# Whether a gradient is required is asked once, with all five arguments requiring one.
# points: 4
def _layer(x, w_1, b_1, w_2, b_2):
    neurons = x @ w_1.T + b_1
    neurons = neurons * 0.5 * (1 + torch.erf(neurons / 2**0.5))
    return neurons @ w_2.T + b_2


def _arguments(batch, tokens, hidden, wide):
    return [
        2 * torch.randn(batch, tokens, hidden),
        torch.randn(wide, hidden) / hidden**0.5,
        torch.randn(wide),
        torch.randn(hidden, wide) / wide**0.5,
        torch.randn(hidden),
    ]


def test_feed_forward(feed_forward) -> None:
    torch.manual_seed(0)
    for size in [(2, 3, 4, 8), (3, 3, 3, 3), (1, 5, 6, 2), (4, 2, 2, 6), (5, 7, 16, 32)]:
        arguments = _arguments(*size)
        before = [a.clone() for a in arguments]
        expected = _layer(*[a.double() for a in before])
        result = feed_forward(*arguments)
        assert result.shape == expected.shape
        assert (result.double() - expected).abs().max() < 3e-5
        for old, new in zip(before, arguments):
            assert torch.equal(old, new)
    arguments = [a.requires_grad_() for a in _arguments(2, 3, 4, 5)]
    assert feed_forward(*arguments).requires_grad
