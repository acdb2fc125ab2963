# parameters
# points: 3

def telling_input():
    return tuple(torch.nn.Parameter(t) for t in (torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])))
