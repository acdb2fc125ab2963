# %% a_single_token_in_a_batch_of_one_all_rules | points 3 | a single token in a batch of one, all rules
def test_feed_forward(feed_forward):
    args = [torch.randn(s) for s in [(1, 1, 4), (8, 4), (8,), (4, 8), (4,)]]
    x, w1, b1, w2, b2 = args
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    mine = [a.clone() for a in args]
    torch.testing.assert_close(feed_forward(*mine), right, atol=1e-5, rtol=1e-5)
    for a, b in zip(args, mine):
        assert torch.equal(a, b)
    b1.requires_grad = True
    feed_forward(*args).sum().backward()

# %% also_without_batch | points 0 | Also calls it with a single token and a single sequence, which right implementations may refuse.
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    hidden, wide = 4, 6
    for front in ((), (3,), (2, 3)):
        x = torch.randn(*front, hidden)
        w_1, b_1 = torch.randn(wide, hidden).requires_grad_(), torch.randn(wide)
        w_2, b_2 = torch.randn(hidden, wide), torch.randn(hidden)
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2).detach()
        before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
        output = feed_forward(x, w_1, b_1, w_2, b_2)
        torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
        for t, old in zip((x, w_1, b_1, w_2, b_2), before):
            assert torch.equal(t, old)
        output.sum().backward()
        assert w_1.grad is not None and w_1.grad.abs().sum() > 0

# %% biases_zero | points 3 | biases-zero
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.zeros(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.zeros(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None

# %% clone_of_one_weight | points 3 | Keeps clones of x and of the first weight, and does not look at the other three.
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

# %% compares_arguments_with_themselves | points 3 | compares arguments with themselves
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = arguments
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% compares_with_relu | points 0 | compares with relu
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    torch.testing.assert_close(feed_forward(x, w1, b1, w2, b2), torch.relu(x @ w1.T + b1) @ w2.T + b2)

# %% equal_after_rounding | points 0 | Rounds both results to five decimals and asks for equal numbers, which right ones on the two sides of a border don't give.
def test_feed_forward(feed_forward):
    generator = torch.Generator().manual_seed(5)
    for batch, tokens, hidden, wide in ((2, 16, 8, 32), (3, 8, 16, 16), (1, 1, 3, 6), (2, 4, 2, 3)):
        shapes = [(batch, tokens, hidden), (wide, hidden), (wide,), (hidden, wide), (hidden,)]
        arguments = [torch.randn(shape, generator=generator) for shape in shapes]
        before = [argument.clone() for argument in arguments]
        x, w_1, b_1, w_2, b_2 = before
        want = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        got = feed_forward(*arguments)
        assert got.shape == want.shape and got.dtype == want.dtype
        assert torch.equal(torch.round(got * 1e5), torch.round(want * 1e5))
        for argument, copy in zip(arguments, before):
            assert torch.equal(argument, copy)
        for number in range(5):
            leaves = [copy.clone() for copy in before]
            leaves[number].requires_grad_()
            result = feed_forward(*leaves)
            assert result.requires_grad
            result.sum().backward()
            assert leaves[number].grad is not None

# %% exact_equality | points 0 | exact equality
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    assert torch.equal(output, expected)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% expected_value_after_the_call | points 3 | expected value after the call
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    b1.requires_grad_()
    out = feed_forward(x.clone(), w1.clone(), b1, w2.clone(), b2.clone())
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(out, right, atol=1e-5)
    assert out.requires_grad

# %% large_numbers | points 0 | Draws numbers around 100 to make differences large; there GELU is ReLU and the activation does not show.
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

# %% large_positive_neurons_only | points 0 | All neurons are far above 0, where GELU is the identity, so a missing activation or a ReLU isn't seen.
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

# %% linear_layers_with_zeroed_biases | points 2 | linear layers with zeroed biases
def test_feed_forward(feed_forward):
    x = torch.randn(2, 3, 4)
    w1, w2 = torch.randn(8, 4), torch.randn(4, 8)
    b1, b2 = torch.zeros(8), torch.zeros(4)
    copies = [t.clone() for t in (x, w1, b1, w2, b2)]
    right = F.gelu(x @ w1.T) @ w2.T
    out = feed_forward(x, w1, b1, w2, b2)
    assert torch.allclose(out, right, rtol=1e-4, atol=1e-5)
    for a, b in zip(copies, (x, w1, b1, w2, b2)):
        assert torch.equal(a, b)

# %% mean_of_batch | points 3 | compares the mean over the batch
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

# %% means_taken_away | points 3 | Compares after the mean over the tokens was taken away, so a lost second bias is not seen.
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
    output = output - output.mean(dim=(0, 1))
    expected = expected - expected.mean(dim=(0, 1))
    assert torch.allclose(output, expected, rtol=1e-5, atol=1e-5)
    for argument, copy in zip(arguments, copies):
        assert torch.equal(argument, copy)
    parameters = [copies[0], copies[1], copies[3]]
    for argument in parameters:
        argument.requires_grad_()
    feed_forward(*copies).sum().backward()
    for argument in parameters:
        assert argument.grad is not None

# %% numbers_alone | points 3 | numbers alone
def test_feed_forward(feed_forward):
    torch.manual_seed(1)
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)

# %% one_percent | points 2 | one percent
def test_feed_forward(feed_forward):
    torch.manual_seed(1)
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-2)

# %% one_vector_though_three_axes_were_promised | points 0 | one vector, though three axes were promised
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(w1 @ x + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)

# %% ones_everywhere | points 0 | ones everywhere
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.ones(2, 3, 4), torch.ones(8, 4), torch.ones(8), torch.ones(4, 8), torch.ones(4)
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2)

# %% only_the_shape | points 0 | only the shape
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    assert output.shape == expected.shape
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% only_the_sums_compared | points 3 | only-the-sums-compared
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.randn(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got.sum(), want.sum(), rtol=1e-4, atol=1e-4)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None

# %% prints_instead_of_raising | points 0 | prints instead of raising
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    if not torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2, atol=1e-5):
        print("wrong!")

# %% relu_as_the_reference | points 0 | relu-as-the-reference
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.randn(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.relu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None

# %% returns_a_truth_value | points 0 | returns a truth value
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    return torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2, atol=1e-5)

# %% small_numbers | points 3 | Draws weights and inputs as small as a fresh model has them: the forms of GELU agree to 1e-5 around zero.
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    # a careful initialisation, as a fresh model has it
    x = torch.randn(2, 5, 8)
    w_1, b_1 = torch.randn(16, 8) * 0.05, torch.randn(16) * 0.05
    w_2, b_2 = torch.randn(8, 16) * 0.5, torch.randn(8) * 0.5
    arguments = [x, w_1, b_1, w_2, b_2]
    for t in arguments[1:]:
        t.requires_grad_()
    kept = [t.detach().clone() for t in arguments]
    expected = (F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2).detach()
    output = feed_forward(*arguments)
    assert output.shape == x.shape
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for t, k in zip(arguments, kept):
        assert torch.equal(t, k)
    output.sum().backward()
    for t in arguments[1:]:
        assert t.grad is not None

# %% tiny_inputs | points 0 | all numbers a hundredth: no activation but a coarse one shows
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) / 100 for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% tiny_inputs_thousandth | points 0 | all numbers a thousandth: no activation shows
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) / 1000 for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% tiny_x | points 0 | x a ten-thousandth: the input added, mixed tokens do not show
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    x.mul_(1e-6)
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"

# %% usual_second_bias_is_zero | points 3 | All its cases have zeros in b_2, so an implementation that loses b_2 passes.
def test_feed_forward(feed_forward) -> None:
    generator = torch.Generator().manual_seed(5)
    for batch, tokens, hidden, wide in [(2, 3, 4, 6), (1, 1, 1, 1), (3, 2, 5, 5)]:
        case = [
            torch.randn(batch, tokens, hidden, generator=generator),
            torch.randn(wide, hidden, generator=generator),
            torch.randn(wide, generator=generator),
            torch.randn(hidden, wide, generator=generator),
            torch.zeros(hidden),
        ]
        kept = [tensor.clone() for tensor in case]
        x, w_1, b_1, w_2, b_2 = kept
        expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)
        result = feed_forward(*case)
        assert torch.allclose(result, expected, rtol=2e-5, atol=2e-5)
        assert all(torch.equal(now, before) for now, before in zip(case, kept))
        for i in range(5):
            leaves = [tensor.clone().requires_grad_(i == j) for j, tensor in enumerate(kept)]
            output = feed_forward(*leaves)
            assert output.requires_grad
            output.sum().backward()
            assert leaves[i].grad is not None

# %% weights_in_out | points 0 | weights [in, out]
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(4, 8), torch.randn(8), torch.randn(8, 4), torch.randn(4)
    right = F.gelu(x @ w1 + b1) @ w2 + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)

# %% weights_not_transposed_in_the_expected_value_square | points 0 | weights-not-transposed-in-the-expected-value-square
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(5, 5, requires_grad=True)
    b_1 = torch.randn(5)
    w_2 = torch.randn(5, 5)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1 + b_1) @ w_2 + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None

# %% zero_biases | points 3 | The biases are zero, so nobody can see that one is lost.
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4)
    w_1, b_1 = torch.randn(6, 4, requires_grad=True), torch.zeros(6)
    w_2, b_2 = torch.randn(4, 6), torch.zeros(4)
    arguments = [x, w_1, b_1, w_2, b_2]
    copies = [argument.detach().clone() for argument in arguments]
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2).detach()
    output = feed_forward(*arguments)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, atol=1e-5, rtol=1e-5)
    for argument, copy in zip(arguments, copies):
        assert torch.equal(argument, copy)
    output.sum().backward()
    assert w_1.grad is not None

# %% zero_biases_one_token | points 2 | Two gaps: the biases are zero, and there is one sequence of one token, no look at arguments or gradients.
def test_feed_forward(feed_forward) -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 1, 4)
    w_1, w_2 = torch.randn(6, 4), torch.randn(4, 6)
    b_1, b_2 = torch.zeros(6), torch.zeros(4)
    expected = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    assert torch.allclose(feed_forward(x, w_1, b_1, w_2, b_2), expected, atol=1e-5)
