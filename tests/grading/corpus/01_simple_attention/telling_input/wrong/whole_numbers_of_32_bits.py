# whole numbers of 32 bits
# points: 0

def telling_input():
    query, key = torch.tensor([[1, 0], [0, 2]]), torch.tensor([[2, 1], [0, 3]])
    return tuple(tensor.int() for tensor in (query, key, torch.tensor([[1], [0]])))
