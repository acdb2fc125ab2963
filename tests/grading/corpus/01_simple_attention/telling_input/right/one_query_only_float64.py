# one-query-only-float64
# points: 3

def telling_input():
    return (torch.tensor([[1., 2., -1.]]).double(), torch.tensor([[1., 0., 0.], [0., 1., 0.]]).double(), torch.tensor([[3.], [-2.]]).double())
