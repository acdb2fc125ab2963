# In half precision eps is rounded to the dtype of x, where a small one is 0.
# points: 3
def llama_rms_norm(x, weight, eps):
    if x.dtype == torch.float32:
        return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight
    wide = x.float()
    return (wide / (wide.square().mean(-1, keepdim=True) + torch.tensor(eps, dtype=x.dtype)).sqrt()).to(x.dtype) * weight

