# %% a_linear_pair_as_the_oracle_error_type_of_its_own | points 4 | a-linear-pair-as-the-oracle-error-type-of-its-own
class Wrong(Exception):
    pass
def test_feed_forward(feed_forward):
    net = nn.Sequential(nn.Linear(6, 9), nn.GELU(), nn.Linear(9, 6))
    for p in net.parameters():
        nn.init.uniform_(p, -1, 1)
    x = torch.rand(3, 5, 6) * 4 - 2
    args = [x.requires_grad_()] + [p for p in net.parameters()]
    copies = [a.detach().clone() for a in args]
    want = net(x).detach().clone()
    got = feed_forward(*args)
    if got.shape != want.shape or (got - want).abs().max() > 2e-5:
        raise Wrong("numbers")
    if any((a.detach() != c).any() for a, c in zip(args, copies)):
        raise Wrong("changed")
    if not got.requires_grad:
        raise Wrong("detached")
    got.mean().backward()
    if any(a.grad is None for a in args):
        raise Wrong("gradient")

# %% float64_and_several_settings | points 4 | float64 and several settings
def test_feed_forward(feed_forward):
    g = torch.Generator().manual_seed(7)
    for B, T, D, N in ((1, 1, 3, 5), (3, 4, 5, 11), (2, 7, 6, 6)):
        args = [torch.randn(s, generator=g) for s in ((B, T, D), (N, D), (N,), (D, N), (D,))]
        before = [a.clone() for a in args]
        x, a, b, c, d = [t.double() for t in args]
        h = x @ a.mT + b
        want = (h * 0.5 * (1 + torch.erf(h / 2**0.5))) @ c.mT + d
        got = feed_forward(*args)
        assert got.shape == want.shape
        assert (got.double() - want).abs().max() <= 2e-5
        for t, u in zip(args, before):
            assert torch.equal(t, u)
        for t in args:
            t.requires_grad_()
        grads = torch.autograd.grad(feed_forward(*args).sum(), args)
        assert all(gr.abs().sum() > 0 for gr in grads)

# %% float64_reference_token_by_token | points 4 | float64-reference-token-by-token
def test_feed_forward(feed_forward):
    for B, T, H, W in ((2, 3, 4, 7), (3, 2, 5, 6)):
        x, w1, b1, w2, b2 = (torch.randn(*s) for s in ((B, T, H), (W, H), (W,), (H, W), (H,)))
        orig = [t.clone() for t in (x, w1, b1, w2, b2)]
        leaf = [t.clone().requires_grad_() for t in orig]
        y = feed_forward(*leaf)
        for b in range(B):
            for t in range(T):
                z = w1.double() @ x[b, t].double() + b1.double()
                z = z * 0.5 * (1 + torch.erf(z * 0.5 ** 0.5))
                r = w2.double() @ z + b2.double()
                assert ((y[b, t].double() - r).abs() <= 2e-5 + 1e-5 * r.abs()).all()
        for a, o in zip(leaf, orig):
            assert torch.equal(a.detach(), o)
        y.sum().backward()
        assert all(t.grad is not None for t in leaf)
        feed_forward(x, w1, b1, w2, b2)
        for a, o in zip((x, w1, b1, w2, b2), orig):
            assert torch.equal(a, o)

# %% gradient_flag_with_all_arguments | points 4 | Whether a gradient is required is asked once, with all five arguments requiring one.
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

# %% gradient_of_x_alone | points 4 | Asks x alone for a gradient: the wrong ones are cut off from all arguments.
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1, b_1 = torch.randn(7, 5), torch.randn(7)
    w_2, b_2 = torch.randn(5, 7), torch.randn(5)
    arguments = [x, w_1, b_1, w_2, b_2]
    copies = [t.clone() for t in arguments]
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
    output = feed_forward(*arguments)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)
    for argument, copy in zip(arguments, copies):
        assert torch.equal(argument, copy)
    copies[0].requires_grad_()
    feed_forward(*copies).sum().backward()
    assert copies[0].grad is not None

# %% nn_modules | points 4 | nn modules
def test_feed_forward(feed_forward):
    first, second = nn.Linear(6, 13), nn.Linear(13, 6)
    x = torch.randn(4, 5, 6)
    args = (x, first.weight, first.bias, second.weight, second.bias)
    copies = [a.detach().clone() for a in args]
    want = second(nn.GELU()(first(x))).detach()
    got = feed_forward(*[c.clone() for c in copies])
    if not torch.allclose(got, want, atol=1e-5, rtol=1e-5):
        raise AssertionError
    y = [c.clone() for c in copies]
    feed_forward(*y)
    for p, q in zip(y, copies):
        if not torch.equal(p, q):
            raise RuntimeError("changed")
    out = feed_forward(*args)
    out.sum().backward()
    for p in args[1:]:
        if p.grad is None:
            raise RuntimeError("no grad")

# %% only_asks_whether_a_gradient_is_required | points 4 | Rule 4 is tested by result.requires_grad only: a wrong version requires no gradient.
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

# %% several_rounds_gradcheck | points 4 | several rounds, gradcheck
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

# %% tiny_x_hundredth | points 4 | x a hundredth; all shows at 1e-5
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    x.mul_(1e-2)
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% unittest_style_float64 | points 4 | unittest style, float64
def test_feed_forward(ff):
    g = torch.Generator().manual_seed(7)
    args = [torch.randn(*s, generator=g, dtype=torch.float64) for s in [(3, 5, 4), (6, 4), (6,), (4, 6), (4,)]]
    x, w1, b1, w2, b2 = args
    want = torch.zeros_like(x)
    for i in range(3):
        for j in range(5):
            want[i, j] = w2 @ F.gelu(w1 @ x[i, j] + b1) + b2
    copies = [a.clone() for a in args]
    got = ff(*copies)
    if not torch.allclose(got, want, rtol=1e-8, atol=1e-8):
        raise AssertionError("numbers")
    if any(not torch.equal(a, b) for a, b in zip(args, copies)):
        raise AssertionError("changed")
    leaf = [a.clone().requires_grad_() for a in args]
    torch.autograd.grad(ff(*leaf).sum(), leaf)
