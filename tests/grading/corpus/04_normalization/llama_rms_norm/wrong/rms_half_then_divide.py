# rms.half then divide
# points: 2

def llama_rms_norm(x, weight, eps):
    rms = (x.float().pow(2).mean(-1, keepdim=True) + eps).sqrt().to(x.dtype)
    return x / rms * weight
