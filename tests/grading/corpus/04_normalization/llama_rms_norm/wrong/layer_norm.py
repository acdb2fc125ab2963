# layer norm
# points: 0

def llama_rms_norm(x, weight, eps):
    return (F.layer_norm(x.float(), x.shape[-1:], eps=eps)).to(x.dtype) * weight
