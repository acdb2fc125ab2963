# rounds-to-float16-always
# points: 0

def llama_rms_norm(x, weight, eps):
    x32 = x.to(torch.float32)
    ms = x32.pow(2).mean(-1, keepdim=True)
    y = x32 * torch.rsqrt(ms + eps)
    return weight * y.half().to(x.dtype)
