# returns a module
# points: 0

def weights_time_first(query, key):
    return torch.nn.Softmax(dim=-1)
