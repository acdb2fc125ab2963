# float8 e8m0
# points: 0

def telling_input():
    t = [torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 1)]
    return tuple(x.to(torch.float8_e8m0fnu) for x in t)
