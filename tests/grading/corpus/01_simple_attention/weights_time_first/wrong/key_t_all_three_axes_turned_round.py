# key-t-all-three-axes-turned-round
# points: 0

def weights_time_first(query, key):
    q = query.transpose(0, 1)
    return torch.softmax(q @ key.T / math.sqrt(query.shape[-1]), dim=-1)
