# difference just too small
# points: 0

def telling_input():
    return torch.tensor([[.05, 0.]]), torch.tensor([[1., 0.], [0., 1.]]), torch.tensor([[1.], [0.]])
