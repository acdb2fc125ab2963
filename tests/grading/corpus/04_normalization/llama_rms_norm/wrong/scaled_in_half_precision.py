# In half precision it divides by the largest number first: a vector of zeros gives NaN.
# points: 3
def llama_rms_norm(x, weight, eps):
    wide = x.float()
    if x.dtype != torch.float32:
        scale = wide.abs().amax(-1, keepdim=True)
        wide, eps = wide / scale, eps / scale.square()
    normalised = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    return normalised.to(x.dtype) * weight
