# to float32 only if half16
# points: 2

def llama_rms_norm(x, weight, eps):
    h = x.float() if x.dtype == torch.float16 else x
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight
