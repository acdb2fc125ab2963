# float8
# points: 0

def telling_input():
    t = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    return tuple(x.to(torch.float8_e4m3fn) for x in t)
