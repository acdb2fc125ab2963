# symmetric
# points: 2

def telling_input():
    return torch.eye(2), torch.tensor([[2., 1.], [1., 3.]]), torch.tensor([[1.], [0.]])
