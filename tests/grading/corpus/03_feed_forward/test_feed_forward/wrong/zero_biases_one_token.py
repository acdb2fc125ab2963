# Two gaps: the biases are zero, and there is one sequence of one token, no look at arguments or gradients.
# points: 2
def test_feed_forward(feed_forward) -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 1, 4)
    w_1, w_2 = torch.randn(6, 4), torch.randn(4, 6)
    b_1, b_2 = torch.zeros(6), torch.zeros(4)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert torch.allclose(feed_forward(x, w_1, b_1, w_2, b_2), expected, atol=1e-5)
