# zeros
# points: 0

def telling_input():
    return torch.zeros(2, 2), torch.zeros(2, 2), torch.zeros(2, 1)
