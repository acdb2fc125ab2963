# powers
# points: 4

def llama_rms_norm(x, weight, eps):
    h = x.to(torch.float32)
    return (h * (h ** 2).mean(-1, keepdim=True).add(eps).pow(-0.5)).type_as(x) * weight
