# equal values
# points: 0

def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.ones(2, 1)
