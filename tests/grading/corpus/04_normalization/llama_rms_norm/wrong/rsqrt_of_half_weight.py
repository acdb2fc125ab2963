# rsqrt of half weight
# points: 2

def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.to(torch.float32), (x.shape[-1],), weight.float(), eps)
