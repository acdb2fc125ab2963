# query-of-zeros
# points: 0

def telling_input():
    return torch.zeros(2, 2), torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([[1.0], [0.0]])
