# half precision
# points: 3

def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).half(), torch.tensor([[2., 1.], [0., 3.]]).half(), torch.tensor([[1.], [0.]]).half()
