# numbers-so-large-that-softmax-saturates
# points: 0

def telling_input():
    query = torch.tensor([[100.0, 0.0], [0.0, 200.0]])
    key = torch.tensor([[200.0, 100.0], [0.0, 300.0]])
    value = torch.tensor([[1.0], [0.0]])
    return query, key, value
