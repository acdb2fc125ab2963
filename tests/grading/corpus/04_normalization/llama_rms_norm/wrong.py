# %% back_to_half | points 0 | Converts back with .half(), whatever the dtype of x was: float32 and bfloat16 come back wrong.
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    rms = torch.sqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    normalised = (wide / rms).half()
    return normalised * weight

# %% bfloat16_always | points 0 | bfloat16 always
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps).sqrt()).to(torch.bfloat16) * weight

# %% bfloat16_by_way_of_float16 | points 3 | The normalised numbers of bfloat16 are rounded to float16 first, so they are rounded twice.
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.float()
    normalised = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    if x.dtype != torch.float32:
        normalised = normalised.half()
    return weight * normalised.to(x.dtype)

# %% bfloat16_in_the_chapters_order | points 3 | In bfloat16, because it has so few digits, the gain is multiplied in float32 before the only rounding.
def llama_rms_norm(x, weight, eps):
    numbers = x.to(torch.float32)
    normalised = numbers * torch.rsqrt(numbers.pow(2).mean(dim=-1, keepdim=True) + eps)
    if x.dtype == torch.bfloat16:
        return (normalised * weight.to(torch.float32)).to(x.dtype)
    return normalised.to(x.dtype) * weight

# %% bfloat16_taken_for_float16 | points 3 | bfloat16 is converted to float16 first, which cannot hold its large numbers.
def llama_rms_norm(x, weight, eps):
    narrow = x if x.dtype == torch.float32 else x.half()
    wide = narrow.float()
    normalised = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    return normalised.to(x.dtype) * weight

# %% bias_like_weight_added | points 0 | bias-like-weight-added
def llama_rms_norm(x, weight, eps):
    x32 = x.to(torch.float32)
    ms = x32.pow(2).mean(-1, keepdim=True)
    y = x32 * torch.rsqrt(ms + eps)
    return weight + y.to(x.dtype)

# %% cast_back_with_x_rebound | points 2 | cast back with x rebound
def llama_rms_norm(x, weight, eps):
    x = x.to(torch.float32)
    n = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return weight.float() * n.to(x.dtype)

# %% course_class_order | points 3 | course class order
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps) * weight).to(x.dtype)

# %% divided_by_the_largest_first | points 0 | Divides by the largest number first, to avoid overflow: a vector of zeros gives NaN.
def llama_rms_norm(x, weight, eps):
    wide = x.float()
    big = wide.abs().amax(-1, keepdim=True)
    wide, eps = wide / big, eps / big**2
    ms = wide.square().mean(-1, keepdim=True)
    out = wide * torch.rsqrt(ms + eps)
    return out.to(x.dtype) * weight

# %% eps_added_in_half | points 2 | The mean square is rounded to the dtype of x before eps is added.
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True)
    mean_square = (mean_square.to(x.dtype) + eps).float()
    normalised = wide / torch.sqrt(mean_square)
    return normalised.to(x.dtype) * weight

# %% eps_as_floor | points 0 | Uses eps as the least mean square instead of adding it.
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True).clamp(min=eps)
    return (wide / mean_square.sqrt()).to(x.dtype) * weight

# %% eps_at_least_the_smallest_normal_number | points 3 | eps is raised to finfo(x.dtype).tiny, "to be safe": in float16 that is 0.00006, far above a tiny eps.
def llama_rms_norm(x, weight, eps):
    eps = max(eps, torch.finfo(x.dtype).tiny)
    numbers = x.float()
    normal = numbers * torch.rsqrt(numbers.pow(2).mean(dim=-1, keepdim=True) + eps)
    return normal.to(x.dtype) * weight

# %% eps_default_in_half | points 3 | In half precision eps is rounded to the dtype of x, where a small one is 0.
def llama_rms_norm(x, weight, eps):
    if x.dtype == torch.float32:
        return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight
    wide = x.float()
    return (wide / (wide.square().mean(-1, keepdim=True) + torch.tensor(eps, dtype=x.dtype)).sqrt()).to(x.dtype) * weight

# %% eps_outside_t5 | points 0 | eps outside & T5
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True).sqrt() + eps) * weight.float()).to(x.dtype)

# %% eps_squared_inside | points 0 | eps squared inside
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps ** 2).sqrt()).to(x.dtype) * weight

# %% f_normalize | points 0 | F.normalize
def llama_rms_norm(x, weight, eps):
    return F.normalize(x.float(), dim=-1).to(x.dtype) * weight

# %% f_rms_norm_direct | points 3 | F.rms_norm direct
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x, (x.size(-1),), weight, eps)

# %% f_rms_norm_without_eps | points 0 | F.rms_norm without eps
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), x.shape[-1:]).to(x.dtype) * weight

# %% forgot_to_cast_back | points 2 | forgot to cast back
def llama_rms_norm(x, weight, eps):
    x = x.float()
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight

# %% gain_float_then_cast_mean_subtracted | points 0 | gain float then cast, mean subtracted
def llama_rms_norm(x, weight, eps):
    h = x.float()
    h = h - h.mean(-1, keepdim=True)
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)

# %% gain_twice | points 0 | gain twice
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), x.shape[-1:], weight.float(), eps).to(x.dtype) * weight

# %% half_cast_of_x_then_float | points 0 | half cast of x then float
def llama_rms_norm(x, weight, eps):
    h = x.half().float()
    return (h / (h.square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight

# %% layer_norm | points 0 | layer norm
def llama_rms_norm(x, weight, eps):
    return (F.layer_norm(x.float(), x.shape[-1:], eps=eps)).to(x.dtype) * weight

# %% max_instead_of_rms | points 0 | max instead of rms
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.abs().amax(-1, keepdim=True) + eps)).to(x.dtype) * weight

# %% mean_dim_1 | points 0 | mean dim 1
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight

# %% mean_of_half_then_float | points 2 | mean of half, then float
def llama_rms_norm(x, weight, eps):
    ms = (x * x).mean(-1, keepdim=True).float()
    return (x.float() * torch.rsqrt(ms + eps)).to(x.dtype) * weight

# %% mean_square_over_the_first_axis | points 0 | mean square over the first axis
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=0, keepdim=True)
    normalised = wide / torch.sqrt(mean_square + eps)
    return normalised.to(x.dtype) * weight

# %% no_cast_at_all_float | points 2 | no cast at all float
def llama_rms_norm(x, weight, eps):
    return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + eps) * weight

# %% no_float_rsqrt | points 2 | no float rsqrt
def llama_rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight

# %% rms_half_then_divide | points 2 | rms.half then divide
def llama_rms_norm(x, weight, eps):
    rms = (x.float().pow(2).mean(-1, keepdim=True) + eps).sqrt().to(x.dtype)
    return x / rms * weight

# %% root_twice | points 0 | root twice
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True)
    normalised = wide / torch.sqrt(torch.sqrt(mean_square + eps))
    return normalised.to(x.dtype) * weight

# %% rounds_to_float16_always | points 0 | rounds-to-float16-always
def llama_rms_norm(x, weight, eps):
    x32 = x.to(torch.float32)
    ms = x32.pow(2).mean(-1, keepdim=True)
    y = x32 * torch.rsqrt(ms + eps)
    return weight * y.half().to(x.dtype)

# %% rsqrt_of_half_weight | points 2 | rsqrt of half weight
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.to(torch.float32), (x.shape[-1],), weight.float(), eps)

# %% scaled_in_half_precision | points 3 | In half precision it divides by the largest number first: a vector of zeros gives NaN.
def llama_rms_norm(x, weight, eps):
    wide = x.float()
    if x.dtype != torch.float32:
        scale = wide.abs().amax(-1, keepdim=True)
        wide, eps = wide / scale, eps / scale.square()
    normalised = wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + eps)
    return normalised.to(x.dtype) * weight

# %% sqrt_eps_inside_forgotten_parenthesis | points 0 | sqrt eps inside forgotten parenthesis
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / h.square().mean(-1, keepdim=True).sqrt() + eps).to(x.dtype) * weight

# %% squeeze | points 0 | squeeze
def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = (h.square().mean(-1) + eps).sqrt()
    return (h / r).to(x.dtype) * weight

# %% to_float32_only_if_half16 | points 2 | to float32 only if half16
def llama_rms_norm(x, weight, eps):
    h = x.float() if x.dtype == torch.float16 else x
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight

# %% weight_no_cast_in_float16_output | points 2 | weight no cast in float16 output
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight
