# %% a_comparison_without_assert | points 0 | a comparison without assert
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0

# %% bit_by_bit | points 0 | Compares with torch.equal, which rejects right answers that add in another order.
def test_multi_head(attention):
    for batch, tokens, heads, head_size in ((2, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden),
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden),
            "output.bias": torch.randn(hidden),
        }
        packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = packed.unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        copies = {n: t.clone() for n, t in state.items()}
        x_copy = x.detach().clone()
        out = attention(x, state, heads)
        assert torch.equal(out, expected)
        assert torch.equal(x, x_copy)
        for n in copies:
            assert torch.equal(copies[n], state[n])
        out.sum().backward()
        assert x.grad is not None

# %% clone_of_one_weight | points 3 | Of `state` only the packed weight is compared with a clone.
def test_multi_head(attention):
    for heads, batch in ((2, 3), (3, 1), (4, 2)):
        torch.manual_seed(heads)
        x, state, expected = setting(batch, 5, heads, 4)
        x = x.requires_grad_()
        before, weight = x.detach().clone(), state["query_key_value.weight"].clone()
        found = attention(x, state, heads)
        assert found.shape == expected.shape and same(found, expected)
        assert torch.equal(x, before) and torch.equal(state["query_key_value.weight"], weight)
        found.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0

# %% compares_only_the_first_token_of_the_first_sentence | points 0 | compares-only-the-first-token-of-the-first-sentence
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got[0, 0], want[0, 0], atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None

# %% demands_gradients_of_the_state | points 0 | Asks for gradients of the state's tensors, too, and so rejects right ones that load copies into a module.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, size in [(2, 5, 2, 3), (1, 4, 3, 4)]:
        hidden = heads * size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        shapes = {
            "query_key_value.weight": (3 * hidden, hidden),
            "query_key_value.bias": (3 * hidden,),
            "output.weight": (hidden, hidden),
            "output.bias": (hidden,),
        }
        state = {name: torch.randn(s).div(2).requires_grad_() for name, s in shapes.items()}
        before = {name: t.detach().clone() for name, t in state.items()}
        x_before = x.detach().clone()
        mha = nn.MultiheadAttention(hidden, heads, batch_first=True)
        mha.load_state_dict(dict(zip(["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"], before.values())))
        expected = mha(x_before, x_before, x_before)[0]
        result = attention(x, state, heads)
        assert result.shape == expected.shape
        assert torch.allclose(result, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(x, x_before)
        for name in state:
            assert torch.equal(state[name], before[name])
        result.sum().backward()
        for tensor in [x, *state.values()]:
            assert tensor.grad is not None, "no gradient"

# %% exactly_equal | points 0 | The result must equal the expected one bit by bit, so right implementations are rejected.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    for batch, heads in ((2, 3), (1, 4)):
        hidden = 4 * heads
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        nn.init.normal_(peer.in_proj_bias)
        nn.init.normal_(peer.out_proj.bias)
        state = {
            "query_key_value.weight": peer.in_proj_weight.detach(),
            "query_key_value.bias": peer.in_proj_bias.detach(),
            "output.weight": peer.out_proj.weight.detach(),
            "output.bias": peer.out_proj.bias.detach(),
        }
        x = torch.randn(batch, 5, hidden, requires_grad=True)
        before = x.detach().clone()
        expected, _ = peer(x, x, x)
        output = attention(x, state, heads)
        assert torch.equal(output, expected)
        assert torch.equal(x, before)
        output.sum().backward()
        assert x.grad is not None

# %% expected_after | points 3 | expected numbers are computed after the call, without copies
def test_multi_head(attention):
    torch.manual_seed(1)
    for batch, tokens, heads, size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        found = attention(x, state, heads)
        packed = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = (p.unflatten(-1, (heads, -1)).transpose(1, 2) for p in packed.chunk(3, -1))
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        found.sum().backward()
        assert x.grad.abs().sum() > 0

# %% expected_without_output_bias | points 0 | expected-without-output-bias
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None

# %% expects_a_scale_of_the_root_of_hidden | points 0 | expects-a-scale-of-the-root-of-hidden
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / E ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None

# %% float64_for_accuracy | points 0 | Draws everything in float64 and asks for 1e-10: right ones return float32 and are rejected.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    old = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        run_all(attention)
    finally:
        torch.set_default_dtype(old)


def run_all(attention):
    for batch, tokens, heads, head_size in ((2, 5, 2, 3), (1, 4, 3, 4), (3, 6, 4, 2)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) * 0.5,
            "output.bias": torch.randn(hidden),
        }
        with torch.no_grad():
            peer.in_proj_weight.copy_(state["query_key_value.weight"])
            peer.in_proj_bias.copy_(state["query_key_value.bias"])
            peer.out_proj.weight.copy_(state["output.weight"])
            peer.out_proj.bias.copy_(state["output.bias"])
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        expected = peer(x, x, x)[0].detach()
        x_before = x.detach().clone()
        state_before = {name: t.clone() for name, t in state.items()}
        found = attention(x, state, heads)
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-10, atol=1e-10)
        assert torch.equal(x, x_before)
        for name in state:
            assert torch.equal(state[name], state_before[name])
        found.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0

# %% np_like_exact_comparison | points 0 | np-like exact comparison
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert (attention(x, state, 4) == expected).all()

# %% numbers_only | points 3 | Only the numbers of one setting are compared: no copies, no gradient, no batch of one, no other number of heads.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    hidden, heads = 12, 3
    state = {
        "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
        "query_key_value.bias": torch.randn(3 * hidden),
        "output.weight": torch.randn(hidden, hidden),
        "output.bias": torch.randn(hidden),
    }
    peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
    peer.load_state_dict(
        {
            "in_proj_weight": state["query_key_value.weight"],
            "in_proj_bias": state["query_key_value.bias"],
            "out_proj.weight": state["output.weight"],
            "out_proj.bias": state["output.bias"],
        }
    )
    x = torch.randn(2, 5, hidden)
    expected = peer(x, x, x)[0]
    output = attention(x, state, heads)
    assert output.shape == expected.shape
    assert torch.allclose(output, expected, atol=1e-4), (output - expected).abs().max()

# %% numbers_too_small | points 0 | numbers too small
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.001,
            "query_key_value.bias": torch.randn(3 * hidden) * 0.001,
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0

# %% one_setting_nothing_but_the_output | points 3 | one setting, nothing but the output
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert same(attention(x, state, 4), expected)

# %% one_token | points 0 | one token
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 1, 2, 4), (1, 1, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0

# %% only_shapes_for_many_sizes | points 0 | only shapes, for many sizes
def test_multi_head(attention):
    for b, t, h, d in ((1, 2, 3, 4), (2, 3, 2, 5)):
        x, state, expected = setting(b, t, h, d)
        assert attention(x, state, h).shape == x.shape

# %% prints_in_place_of_raising | points 0 | prints-in-place-of-raising
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        print('ok' if torch.allclose(got, want, atol=1e-4) else 'wrong')
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None

# %% prints_instead_of_raising | points 0 | prints instead of raising
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    if not same(attention(x, state, 4), expected):
        print("wrong!")

# %% properties_only | points 0 | Tests properties (shape, same result twice, order of tokens, independence of sentences), but never the numbers.
def test_multi_head(attention):
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        before = {name: t.clone() for name, t in state.items()}
        x_before = x.detach().clone()
        out = attention(x, state, heads)
        assert out.shape == (batch, tokens, hidden)
        assert torch.isfinite(out).all()
        assert torch.allclose(out, attention(x, state, heads), atol=1e-5)
        order = torch.randperm(tokens)
        assert torch.allclose(out[:, order], attention(x[:, order], state, heads), atol=1e-4)
        alone = attention(x[:1], state, heads)
        assert torch.allclose(out[:1], alone, atol=1e-4)
        assert torch.equal(x, x_before)
        assert all(torch.equal(before[name], state[name]) for name in before)
        out.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0

# %% relative_only | points 0 | Compares with a relative tolerance of 1e-7 and no absolute one, so right implementations fail where numbers round.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        hidden_states = x * 1.0
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
        q, k, v = (p.unflatten(-1, (heads, -1)).transpose(1, 2) for p in packed.chunk(3, -1))
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        expected = F.linear(context, state["output.weight"], state["output.bias"])
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}
        found = attention(hidden_states, state, heads)
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=0)
        assert torch.equal(hidden_states, x_before)
        assert all(torch.equal(state[name], state_before[name]) for name in state_before)
        found.sum().backward()
        assert x.grad is not None and x.grad.abs().sum() > 0

# %% requires_grad_of_the_result | points 3 | Asks only whether the result requires gradients, with a state that requires them, so a cut at hidden_states is not seen.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(1)
    for batch, tokens, heads, head_size in ((2, 5, 2, 3), (1, 4, 3, 4), (3, 6, 4, 2)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) * 0.5,
            "output.bias": torch.randn(hidden),
        }
        with torch.no_grad():
            peer.in_proj_weight.copy_(state["query_key_value.weight"])
            peer.in_proj_bias.copy_(state["query_key_value.bias"])
            peer.out_proj.weight.copy_(state["output.weight"])
            peer.out_proj.bias.copy_(state["output.bias"])
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        expected = peer(x, x, x)[0].detach()
        x_before = x.detach().clone()
        state_before = {name: t.clone() for name, t in state.items()}
        found = attention(x, state, heads)
        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(x, x_before)
        for name in state:
            assert torch.equal(state[name], state_before[name])
        for t in state.values():
            t.requires_grad_()
        assert attention(x, state, heads).requires_grad

# %% returns_bool | points 0 | Returns True or False instead of raising.
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, heads in ((2, 2), (1, 3)):
        hidden = 4 * heads
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        nn.init.normal_(peer.in_proj_bias)
        nn.init.normal_(peer.out_proj.bias)
        state = {
            "query_key_value.weight": peer.in_proj_weight.detach().clone(),
            "query_key_value.bias": peer.in_proj_bias.detach().clone(),
            "output.weight": peer.out_proj.weight.detach().clone(),
            "output.bias": peer.out_proj.bias.detach().clone(),
        }
        x = torch.randn(batch, 5, hidden)
        expected = peer(x, x, x)[0]
        found = attention(x.clone(), state, heads)
        if found.shape != expected.shape or not torch.allclose(found, expected, atol=1e-4):
            return False
    return True

# %% shallow_copy_of_state | points 3 | Keeps the state in a shallow copy, which holds the same tensors, so a change within them is not noticed.
def draw_case(seed, batch, tokens, hidden):
    generator = torch.Generator().manual_seed(seed)
    state = {
        "query_key_value.weight": torch.randn(3 * hidden, hidden, generator=generator) / hidden**0.5,
        "query_key_value.bias": torch.randn(3 * hidden, generator=generator),
        "output.weight": torch.randn(hidden, hidden, generator=generator) / hidden**0.5,
        "output.bias": torch.randn(hidden, generator=generator),
    }
    return torch.randn(batch, tokens, hidden, generator=generator), state


def plain_attention(hidden_states, state, heads):
    batch, tokens, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.reshape(batch, tokens, 3, heads, -1).permute(2, 0, 3, 1, 4)
    weights = (query @ key.transpose(-2, -1) / math.sqrt(hidden // heads)).softmax(dim=-1)
    context = (weights @ value).transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])


def test_multi_head(attention):
    sizes = [(2, 5, 12, 3), (3, 4, 12, 2), (2, 6, 20, 5), (1, 3, 8, 4), (2, 4, 6, 1)]
    for seed, (batch, tokens, hidden, heads) in enumerate(sizes):
        hidden_states, state = draw_case(seed, batch, tokens, hidden)
        before = dict(state)
        hidden_before = hidden_states.clone()
        expected = plain_attention(hidden_states, state, heads)
        output = attention(hidden_states, state, heads)
        assert output.shape == expected.shape
        assert torch.allclose(output, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, hidden_before)
        for name in before:
            assert torch.equal(state[name], before[name])

        hidden_states, state = draw_case(seed + 100, batch, tokens, hidden)
        mine = hidden_states.clone().requires_grad_()
        plain_attention(mine, state, heads).square().sum().backward()
        leaf = hidden_states.clone().requires_grad_()
        attention(leaf, state, heads).square().sum().backward()
        assert leaf.grad is not None
        assert torch.allclose(leaf.grad, mine.grad, rtol=1e-3, atol=1e-2)

# %% the_default_module_with_its_zero_biases | points 2 | the default module with its zero biases
def test_multi_head(attention):
    m = nn.MultiheadAttention(24, 4, batch_first=True)
    state = {"query_key_value.weight": 5 * m.in_proj_weight.detach(), "query_key_value.bias": m.in_proj_bias.detach(),
             "output.weight": m.out_proj.weight.detach(), "output.bias": m.out_proj.bias.detach()}
    x = torch.randn(3, 7, 24)
    with torch.no_grad():
        m.in_proj_weight *= 5
    state["query_key_value.weight"] = m.in_proj_weight.detach().clone()
    assert same(attention(x, state, 4), m(x, x, x)[0])

# %% time_first_forgotten_in_the_oracle | points 0 | time first forgotten in the oracle
def test_multi_head(attention):
    x, state, _ = setting(3, 5, 4, 6)
    m = nn.MultiheadAttention(24, 4)
    m.load_state_dict(dict(zip(("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"), state.values())))
    assert same(attention(x, state, 4), m(x, x, x)[0])

# %% try_except_around_the_assert | points 0 | try-except-around-the-assert
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        try:
            assert torch.allclose(got, want, atol=1e-4)
        except AssertionError:
            print('wrong')
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None

# %% two_settings_gradients_arguments_compared_with_themselves | points 3 | two settings, gradients, arguments compared with themselves
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

# %% weights_of_0_01_attention_is_nearly_uniform | points 0 | weights-of-0-01-attention-is-nearly-uniform
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.01,
            "query_key_value.bias": torch.randn(3 * E) * 0.01,
            "output.weight": torch.randn(E, E) * 0.01,
            "output.bias": torch.randn(E) * 0.01,
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
