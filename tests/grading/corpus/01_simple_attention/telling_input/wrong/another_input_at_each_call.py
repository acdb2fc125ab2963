# another input at each call
# points: 2

_n = -1
def telling_input():
    global _n
    _n += 1
    good = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    if _n == 3:  # asked about d_v: this one tells it and hides the rest
        return torch.tensor([[3.]]), torch.tensor([[1.], [0.]]), torch.tensor([[1., 0.], [0., 1.]])
    if _n < 3:
        return torch.tensor([[3., 0.]]), torch.tensor([[1., 0.], [0., 0.]]), torch.tensor([[1., 0.], [0., 0.]])
    return tuple(good)
