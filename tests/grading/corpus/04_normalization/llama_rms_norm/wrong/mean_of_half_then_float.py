# mean of half, then float
# points: 2

def llama_rms_norm(x, weight, eps):
    ms = (x * x).mean(-1, keepdim=True).float()
    return (x.float() * torch.rsqrt(ms + eps)).to(x.dtype) * weight
