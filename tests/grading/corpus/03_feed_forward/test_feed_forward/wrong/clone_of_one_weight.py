# Keeps clones of x and of the first weight, and does not look at the other three.
# points: 3
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x, w_1, b_1, w_2, b_2 = (torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,)))
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
    old_x, old_w = x.clone(), w_1.clone()
    b_1.requires_grad_()
    output = feed_forward(x, w_1, b_1, w_2, b_2)
    assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)
    assert torch.equal(x, old_x) and torch.equal(w_1, old_w)
    assert output.requires_grad
