# four values
# points: 0

def telling_input():
    return torch.eye(2), torch.eye(2), torch.eye(2), None
