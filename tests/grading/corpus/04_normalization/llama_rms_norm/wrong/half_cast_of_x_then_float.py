# half cast of x then float
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.half().float()
    return (h / (h.square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
