# own reference, raise, many sizes
# points: 4

def reference(x, state, heads):
    d = x.size(-1) // heads
    q, k, v = (x @ state["query_key_value.weight"].T + state["query_key_value.bias"]).chunk(3, -1)
    out = []
    for h in range(heads):
        s = slice(h * d, (h + 1) * d)
        out.append((q[..., s] @ k[..., s].transpose(1, 2) / math.sqrt(d)).softmax(-1) @ v[..., s])
    return torch.cat(out, -1) @ state["output.weight"].T + state["output.bias"]

def test_multi_head(attention):
    for batch, tokens, heads, d in [(1, 3, 4, 2), (2, 4, 3, 3), (5, 2, 2, 6)]:
        n = heads * d
        x = torch.randn(batch, tokens, n).requires_grad_()
        state = {"query_key_value.weight": torch.randn(3 * n, n) * 0.4, "query_key_value.bias": torch.randn(3 * n),
                 "output.weight": torch.randn(n, n), "output.bias": torch.randn(n)}
        kept = [x.detach().clone(), *(t.clone() for t in state.values())]
        want = reference(x, state, heads)
        got = attention(x, state, heads)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
        for a, b in zip(kept, [x, *state.values()]):
            if not torch.equal(a, b):
                raise RuntimeError("changed")
        (g,) = torch.autograd.grad(got.sum(), x)
        (w,) = torch.autograd.grad(want.sum(), x)
        torch.testing.assert_close(g, w, rtol=1e-2, atol=1e-2)
