# The normalised numbers of bfloat16 are rounded to float16 first, so they are rounded twice.
# points: 3
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.float()
    normalised = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    if x.dtype != torch.float32:
        normalised = normalised.half()
    return weight * normalised.to(x.dtype)
