# generator seeded
# points: 3

def telling_input():
    g = torch.Generator().manual_seed(3)
    return torch.randn(3, 3, generator=g) * 2, torch.randn(4, 3, generator=g) * 2, torch.randn(4, 2, generator=g)
