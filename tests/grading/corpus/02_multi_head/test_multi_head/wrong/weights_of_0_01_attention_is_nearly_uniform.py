# weights-of-0-01-attention-is-nearly-uniform
# points: 0

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
