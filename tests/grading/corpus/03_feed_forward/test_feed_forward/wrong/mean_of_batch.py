# compares the mean over the batch
# points: 3

def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    given = [torch.randn(s) for s in ((3, 4, 5), (7, 5), (7,), (5, 7), (5,))]
    x, w_1, b_1, w_2, b_2 = given
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
    passed = [t.clone() for t in given]
    output = feed_forward(*passed)
    assert output.shape == expected.shape
    assert torch.allclose(output.mean(0), expected.mean(0), atol=1e-5)
    assert all(torch.equal(a, b) for a, b in zip(passed, given))
    passed[0].requires_grad_()
    assert feed_forward(*passed).requires_grad
