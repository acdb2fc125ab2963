# transposed views
# points: 3

def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).T, torch.tensor([[2., 0.], [1., 3.]]).T, torch.tensor([[1., 0.]]).T
