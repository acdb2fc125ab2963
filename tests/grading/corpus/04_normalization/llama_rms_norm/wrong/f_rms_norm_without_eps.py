# F.rms_norm without eps
# points: 0

def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), x.shape[-1:]).to(x.dtype) * weight
