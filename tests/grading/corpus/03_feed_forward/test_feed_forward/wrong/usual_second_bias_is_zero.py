# All its cases have zeros in b_2, so an implementation that loses b_2 passes.
# points: 3
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
