# random-numbers-with-a-seed
# points: 3

def telling_input():
    g = torch.Generator().manual_seed(4)
    return torch.randn(2, 4, generator=g), torch.randn(3, 4, generator=g), torch.randn(3, 2, generator=g) * 3
