# random with the global generator
# points: 3

def telling_input():
    torch.manual_seed(12)
    return torch.randn(2, 3) * 3, torch.randn(4, 3) * 2, torch.randn(4, 2) * 2
