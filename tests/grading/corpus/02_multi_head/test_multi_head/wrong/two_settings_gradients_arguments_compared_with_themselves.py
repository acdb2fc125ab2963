# two settings, gradients, arguments compared with themselves
# points: 3

def test_multi_head(attention):
    for b, h in ((1, 2), (4, 3)):
        x, state, expected = setting(b, 5, h, 4)
        kept = state
        x.requires_grad_()
        y = attention(x, state, h)
        assert same(y, expected)
        y.sum().backward()
        assert x.grad.abs().sum() > 0
        for name in state:
            assert torch.equal(state[name], kept[name])
