# requires_grad and expanded
# points: 3

def telling_input():
    q = torch.tensor([[1., 0.], [0., 2.]], requires_grad=True)
    return q, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([1., 0.]).unsqueeze(1)
