# norm
# points: 4

def llama_rms_norm(x, weight, eps):
    h = x.double()
    r = torch.sqrt(h.norm(dim=-1, keepdim=True) ** 2 / h.shape[-1] + eps)
    return weight * (h / r).to(x.dtype)
