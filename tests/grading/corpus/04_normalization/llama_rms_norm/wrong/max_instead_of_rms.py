# max instead of rms
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.abs().amax(-1, keepdim=True) + eps)).to(x.dtype) * weight
