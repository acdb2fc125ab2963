# float4
# points: 0

def telling_input():
    return tuple(torch.zeros(2, 2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2) for _ in range(3))
