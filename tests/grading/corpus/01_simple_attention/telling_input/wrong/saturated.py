# saturated
# points: 0

def telling_input():
    return torch.eye(2) * 1e4, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])
