# all-values-alike
# points: 0

def telling_input():
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    return query, key, torch.ones(2, 1)
