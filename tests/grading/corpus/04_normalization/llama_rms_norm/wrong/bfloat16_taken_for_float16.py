# bfloat16 is converted to float16 first, which cannot hold its large numbers.
# points: 3
def llama_rms_norm(x, weight, eps):
    narrow = x if x.dtype == torch.float32 else x.half()
    wide = narrow.float()
    normalised = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    return normalised.to(x.dtype) * weight
