# Draws numbers around 100 to make differences large; there GELU is ReLU and the activation does not show.
# points: 0

def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    torch.manual_seed(0)
    x = 100 * torch.randn(2, 3, 4)
    w_1, b_1 = 100 * torch.randn(7, 4), torch.randn(7)
    w_2, b_2 = torch.randn(4, 7), torch.randn(4)
    given = [t.clone().requires_grad_() for t in (x, w_1, b_1, w_2, b_2)]
    passed = [t * 1 for t in given]
    kept = [t.detach().clone() for t in passed]
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    output = feed_forward(*passed)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, rtol=1e-4, atol=1e-2)
    assert all(torch.equal(p, k) for p, k in zip(passed, kept))
    output.sum().backward()
    assert all(t.grad is not None for t in given)
