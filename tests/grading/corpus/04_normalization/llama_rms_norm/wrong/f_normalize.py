# F.normalize
# points: 0

def llama_rms_norm(x, weight, eps):
    return F.normalize(x.float(), dim=-1).to(x.dtype) * weight
