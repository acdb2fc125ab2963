# In bfloat16, because it has so few digits, the gain is multiplied in float32 before the only rounding.
# points: 3
def llama_rms_norm(x, weight, eps):
    numbers = x.to(torch.float32)
    normalised = numbers * torch.rsqrt(numbers.pow(2).mean(dim=-1, keepdim=True) + eps)
    if x.dtype == torch.bfloat16:
        return (normalised * weight.to(torch.float32)).to(x.dtype)
    return normalised.to(x.dtype) * weight
