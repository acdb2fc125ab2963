# sqrt eps inside forgotten parenthesis
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / h.square().mean(-1, keepdim=True).sqrt() + eps).to(x.dtype) * weight
