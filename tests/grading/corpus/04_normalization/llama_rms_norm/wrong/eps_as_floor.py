# Uses eps as the least mean square instead of adding it.
# points: 0
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True).clamp(min=eps)
    return (wide / mean_square.sqrt()).to(x.dtype) * weight
