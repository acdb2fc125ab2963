# a-linear-pair-as-the-oracle-error-type-of-its-own
# points: 4

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
