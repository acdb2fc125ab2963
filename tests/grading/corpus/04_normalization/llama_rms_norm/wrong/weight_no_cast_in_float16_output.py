# weight no cast in float16 output
# points: 2

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight
