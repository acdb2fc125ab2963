# no cast at all float
# points: 2

def llama_rms_norm(x, weight, eps):
    return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + eps) * weight
