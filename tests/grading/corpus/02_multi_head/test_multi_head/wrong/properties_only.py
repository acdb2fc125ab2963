# Tests properties (shape, same result twice, order of tokens, independence of sentences), but never the numbers.
# points: 0
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
