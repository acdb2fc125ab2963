# d_k one
# points: 0

def telling_input():
    return torch.tensor([[1.], [2.]]), torch.tensor([[1.], [3.]]), torch.tensor([[1., 2.], [3., 4.]])
