# The mean square is rounded to the dtype of x before eps is added.
# points: 2

def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True)
    mean_square = (mean_square.to(x.dtype) + eps).float()
    normalised = wide / torch.sqrt(mean_square)
    return normalised.to(x.dtype) * weight
