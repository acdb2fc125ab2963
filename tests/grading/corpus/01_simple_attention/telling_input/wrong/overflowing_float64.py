# overflowing float64
# points: 0

def telling_input():
    return torch.full((2, 2), 1e200).double() * 1e3, torch.tensor([[2., 1.], [0., 3.]]).double() * 1e300, torch.tensor([[1.], [0.]])
