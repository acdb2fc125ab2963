# numbers-so-small-that-nothing-shows
# points: 0

def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]) / 20, torch.tensor([[2.0, 1.0], [0.0, 3.0]]) / 20, torch.tensor([[1.0], [0.0]])
