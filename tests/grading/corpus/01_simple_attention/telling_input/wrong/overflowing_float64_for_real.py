# overflowing float64 for real
# points: 0

def telling_input():
    q = torch.tensor([[1e200, 0.], [0., 2e200]], dtype=torch.float64)
    k = torch.tensor([[2e200, 1e200], [0., 3e200]], dtype=torch.float64)
    return q, k, torch.tensor([[1.], [0.]])
