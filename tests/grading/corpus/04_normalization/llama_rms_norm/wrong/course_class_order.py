# course class order
# points: 3

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps) * weight).to(x.dtype)
