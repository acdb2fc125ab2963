# Random numbers without a seed: another input in every call.
# points: 0

def telling_input():
    query = torch.randn(2, 4)
    key = torch.randn(3, 4)
    value = torch.randn(3, 1) * 10
    return query, key, value
