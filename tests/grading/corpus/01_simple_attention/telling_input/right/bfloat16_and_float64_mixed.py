# bfloat16 and float64 mixed
# points: 3

def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).bfloat16(), torch.tensor([[2., 1.], [0., 3.]]).double(), torch.tensor([[1.], [0.]])
