# forgot to cast back
# points: 2

def llama_rms_norm(x, weight, eps):
    x = x.float()
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight
