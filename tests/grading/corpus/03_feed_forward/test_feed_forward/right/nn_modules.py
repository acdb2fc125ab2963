# nn modules
# points: 4

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
