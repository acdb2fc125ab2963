# Converts back with .half(), whatever the dtype of x was: float32 and bfloat16 come back wrong.
# points: 0
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    rms = torch.sqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    normalised = (wide / rms).half()
    return normalised * weight
