# several rounds, gradcheck
# points: 4

def test_feed_forward(ff):
    for batch, tokens, hidden, wide in [(1, 1, 3, 5), (2, 4, 3, 8), (4, 2, 5, 5)]:
        shapes = (batch, tokens, hidden), (wide, hidden), (wide,), (hidden, wide), (hidden,)
        args = [torch.randn(s).double() for s in shapes]
        before = [a.tolist() for a in args]
        out = ff(*args)
        assert before == [a.tolist() for a in args]
        x, w1, b1, w2, b2 = args
        first = nn.functional.linear(x, w1, b1)
        assert out.shape == x.shape and (out - F.linear(F.gelu(first), w2, b2)).abs().max() < 1e-6
    args = [a.requires_grad_() for a in args]
    assert torch.autograd.gradcheck(lambda *a: ff(*a).sum(), args)
