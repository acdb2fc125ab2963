# functional rms norm then gain
# points: 4

def llama_rms_norm(x, weight, eps):
    h = F.rms_norm(x.float(), x.shape[-1:], None, eps)
    return torch.mul(h.to(x.dtype), weight)
