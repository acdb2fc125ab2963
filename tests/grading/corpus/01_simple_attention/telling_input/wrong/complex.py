# complex
# points: 0

def telling_input():
    return tuple(torch.ones(2, 2, dtype=torch.complex64) for _ in range(3))
