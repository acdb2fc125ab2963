# %% functional_rms_norm_then_gain | points 4 | functional rms norm then gain
def llama_rms_norm(x, weight, eps):
    h = F.rms_norm(x.float(), x.shape[-1:], None, eps)
    return torch.mul(h.to(x.dtype), weight)

# %% library_rms_norm_in_float32 | points 4 | library-rms-norm-in-float32
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), (x.size(-1),), eps=eps).to(dtype=x.dtype).mul(weight)

# %% nn_rmsnorm | points 4 | nn.RMSNorm
def llama_rms_norm(x, weight, eps):
    norm = nn.RMSNorm(x.size(-1), eps, elementwise_affine=False)
    return norm(x.float()).to(x.dtype).mul(weight)

# %% norm | points 4 | norm
def llama_rms_norm(x, weight, eps):
    h = x.double()
    r = torch.sqrt(h.norm(dim=-1, keepdim=True) ** 2 / h.shape[-1] + eps)
    return weight * (h / r).to(x.dtype)

# %% powers | points 4 | powers
def llama_rms_norm(x, weight, eps):
    h = x.to(torch.float32)
    return (h * (h ** 2).mean(-1, keepdim=True).add(eps).pow(-0.5)).type_as(x) * weight

# %% reciprocal_then_product | points 4 | reciprocal then product
def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = 1 / torch.sqrt(h.mul(h).sum(-1, keepdim=True) / h.shape[-1] + eps)
    return weight * (h * r).to(x.dtype)

# %% rsqrt_and_vector_norm | points 4 | rsqrt and vector norm
def llama_rms_norm(x, weight, eps):
    h = x.to(torch.float32)
    h = h * torch.rsqrt(torch.linalg.vector_norm(h, dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps)
    return weight * h.type_as(x)

# %% vector_norm_in_float64 | points 4 | vector-norm-in-float64
def llama_rms_norm(x, weight, eps):
    wide = x.double()
    r = (torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps) ** 0.5
    return (wide / r).float().type_as(x) * weight
