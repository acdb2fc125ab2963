# eps is raised to finfo(x.dtype).tiny, "to be safe": in float16 that is 0.00006, far above a tiny eps.
# points: 3
def llama_rms_norm(x, weight, eps):
    eps = max(eps, torch.finfo(x.dtype).tiny)
    numbers = x.float()
    normal = numbers * torch.rsqrt(numbers.pow(2).mean(dim=-1, keepdim=True) + eps)
    return normal.to(x.dtype) * weight
