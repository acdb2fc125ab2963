# Keeps the state in a shallow copy, which holds the same tensors, so a change within them is not noticed.
# points: 3
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
