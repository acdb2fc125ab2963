# cast back with x rebound
# points: 2

def llama_rms_norm(x, weight, eps):
    x = x.to(torch.float32)
    n = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return weight.float() * n.to(x.dtype)
