# bfloat16 always
# points: 0

def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps).sqrt()).to(torch.bfloat16) * weight
