# vector-norm-in-float64
# points: 4

def llama_rms_norm(x, weight, eps):
    wide = x.double()
    r = (torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps) ** 0.5
    return (wide / r).float().type_as(x) * weight
