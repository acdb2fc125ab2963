# squeeze
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = (h.square().mean(-1) + eps).sqrt()
    return (h / r).to(x.dtype) * weight
