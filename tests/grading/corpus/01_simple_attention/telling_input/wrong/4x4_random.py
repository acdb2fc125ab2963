# 4x4 random
# points: 0

def telling_input():
    return torch.randn(4, 4), torch.randn(4, 4), torch.randn(4, 4)
