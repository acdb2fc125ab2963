# eps squared inside
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps ** 2).sqrt()).to(x.dtype) * weight
