# mean dim 1
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
