# eps becomes a tensor of the dtype of x and is rounded before it is added.
# points: 2

def llama_rms_norm(x, weight, eps):
    eps = torch.tensor(eps, dtype=x.dtype, device=x.device)
    wide = x.float()
    wide = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps.float())
    return wide.to(x.dtype) * weight
