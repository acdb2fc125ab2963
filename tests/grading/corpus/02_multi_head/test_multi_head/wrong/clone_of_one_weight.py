# Of `state` only the packed weight is compared with a clone.
# points: 3
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
