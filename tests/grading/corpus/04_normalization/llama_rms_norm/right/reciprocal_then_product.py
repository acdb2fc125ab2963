# reciprocal then product
# points: 4

def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = 1 / torch.sqrt(h.mul(h).sum(-1, keepdim=True) / h.shape[-1] + eps)
    return weight * (h * r).to(x.dtype)
