# gain float then cast, mean subtracted
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    h = h - h.mean(-1, keepdim=True)
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)
