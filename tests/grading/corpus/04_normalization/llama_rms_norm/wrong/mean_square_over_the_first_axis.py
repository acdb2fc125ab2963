# mean square over the first axis
# points: 0

def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=0, keepdim=True)
    normalised = wide / torch.sqrt(mean_square + eps)
    return normalised.to(x.dtype) * weight
