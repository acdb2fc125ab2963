# a-single-key-all-weights-are-1
# points: 0

def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[2.0, 1.0]]), torch.tensor([[1.0]])
