# %% annotated_transformer | points 0 | annotated transformer
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (std + self.eps) + self.bias

# %% axes_from_len_of_x | points 0 | axes from len of x
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(1, len(self.normalized_shape) + 1))
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias

# %% axis_after_axis | points 0 | axis after axis
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=-1, keepdim=True, correction=0).mean(dim=self.axes, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias

# %% axis_by_axis | points 0 | Normalises along one axis after the other in place of all numbers together.
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        for axis in self.axes:
            mean = x.mean(dim=axis, keepdim=True)
            variance = x.var(dim=axis, keepdim=True, correction=0)
            x = (x - mean) / torch.sqrt(variance + self.eps)
        return x * self.weight + self.bias

# %% batch_norm | points 0 | batch norm
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return (x - x.mean(0, keepdim=True)) / (x.var(0, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias

# %% bias_as_buffer_and_eps_with_a_floor | points 2 | The bias is a buffer and learns nothing; an eps below 0.000001 is raised to it "for safety".
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = max(eps, 1e-6)
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.register_buffer("bias", torch.zeros(normalized_shape))

    def forward(self, x):
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=self.axes, keepdim=True, correction=0)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias

# %% bias_from_zeros_not_used_gain_only | points 0 | bias from zeros not used, gain only
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, None, self.eps)

# %% centred_only | points 0 | centred only
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=self.axes, keepdim=True, correction=0)
        return (x - mean) * self.weight + self.bias

# %% constant_stays_single | points 3 | The averaging vector is a plain attribute, so .double() leaves it in float32 and the product fails.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.axes = len(normalized_shape)
        n = math.prod(normalized_shape)
        self.average = torch.full((n,), 1.0 / n)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        h = x.flatten(-self.axes)
        h = h - (h @ self.average).unsqueeze(-1)
        var = ((h * h) @ self.average).unsqueeze(-1)
        h = h / torch.sqrt(var + self.eps)
        return self.weight * h.reshape(x.shape) + self.bias

# %% count_only_last_axis | points 0 | count only last axis
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        n = x.size(-1)
        m = x.sum(axes, keepdim=True) / n
        v = ((x - m) ** 2).sum(axes, keepdim=True) / n
        return (x - m) / (v + self.eps).sqrt() * self.weight + self.bias

# %% eps_1e_12_constant | points 3 | eps 1e-12 constant
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, 1e-12)

# %% eps_inside_via_std | points 3 | eps inside via std
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return (x - x.mean(axes, keepdim=True)) / (x + self.eps).std(axes, keepdim=True, correction=0) * self.weight + self.bias

# %% eps_not_below_the_rounding_unit | points 3 | Takes at least the rounding unit of the dtype (1.2e-7 in float32) for eps, so 1e-12 is not obeyed.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = [-1 - i for i in range(len(normalized_shape))]
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        eps = max(self.eps, torch.finfo(x.dtype).eps)
        variance, mean = torch.var_mean(x, dim=self.axes, correction=0, keepdim=True)
        return self.weight * (x - mean) * torch.rsqrt(variance + eps) + self.bias

# %% eps_raised_to_that_of_the_dtype | points 3 | eps is raised to the eps of the dtype, 0.0000001, which shows with tiny numbers.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.axes = tuple(range(-len(normalized_shape), 0))

    def forward(self, x):
        eps = max(self.eps, torch.finfo(x.dtype).eps)
        var, mean = torch.var_mean(x, self.axes, correction=0, keepdim=True)
        return (x - mean) / (var + eps).sqrt() * self.weight + self.bias

# %% eps_times_2_via_default_arg_1e_6 | points 3 | eps times 2 via default arg 1e-6
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, 1e-6)

# %% f_layer_norm_of_last | points 0 | F.layer_norm of last
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], eps=self.eps) * self.weight + self.bias

# %% f_layer_norm_of_x_shape_1 | points 0 | F.layer_norm of x.shape[1:]
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, x.shape[1:], eps=self.eps) * self.weight + self.bias

# %% f_layer_norm_without_affine | points 0 | F.layer_norm without affine
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, eps=self.eps)

# %% f_layer_norm_without_eps | points 3 | F.layer_norm without eps
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias)

# %% float16_stats | points 0 | float16 stats
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x.bfloat16().float(), self.normalized_shape, self.weight, self.bias, self.eps)

# %% float32_inside_double | points 3 | Computes in float32 whatever the dtype and converts back, so a double x with a large mean (a million plus small numbers) comes out wrong.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        h = x.float()
        h = h - h.mean(dim=self.dims, keepdim=True)
        var = (h * h).mean(dim=self.dims, keepdim=True)
        h = h * torch.rsqrt(var + self.eps)
        return self.weight * h.to(x.dtype) + self.bias

# %% float_on_input | points 3 | float() on input
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight.float(), self.bias.float(), self.eps)

# %% forgot_super_init | points 0 | forgot super init
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return x

# %% gain_ones_bias_ones_init | points 3 | gain ones bias ones init
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.ones(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

# %% gamma_beta_names | points 0 | gamma beta names
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(normalized_shape))
        self.beta = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return x

# %% last_axis_unbiased | points 0 | last axis unbiased
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias

# %% list_of_dims_hard_coded_for_1_and_2 | points 0 | list of dims hard coded for 1 and 2
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = (-1,) if len(self.normalized_shape) == 1 else (-2, -1)
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias

# %% mean_of_all_variance_of_rows | points 0 | The mean is that of the whole example, but the variance is taken for each row by itself.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        centred = x - x.mean(dim=self.axes, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        return centred / torch.sqrt(variance + self.eps) * self.weight + self.bias

# %% mean_per_axis_var_joint | points 0 | mean per axis, var joint
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        m = x
        for a in axes:
            m = m.mean(a)
        return (x - m) / x.var(axes, keepdim=True, correction=0).add(self.eps).sqrt() * self.weight + self.bias

# %% multiplied_by_the_deviation | points 0 | multiplied by the deviation
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=self.axes, keepdim=True, correction=0)
        return (x - mean) * torch.sqrt(variance + self.eps) * self.weight + self.bias

# %% no_gain_unbiased | points 0 | no gain, unbiased
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, keepdim=True) + self.eps).sqrt() + self.bias

# %% norm_inside | points 0 | Wraps nn.LayerNorm: the parameters are called norm.weight and norm.bias, so no checkpoint fits.
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape, eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x)

# %% only_centring_with_mean_over_all_axes | points 0 | only centring with mean over all axes
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        x = x - x.mean()
        return x / (x.square().mean(axes, keepdim=True) + self.eps).sqrt() * self.weight + self.bias

# %% print_item_means | points 3 | print item means
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps).detach() + 0 * (self.weight + self.bias)

# %% randn_init | points 3 | randn init
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

# %% random_starting_gain | points 3 | random-starting-gain
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = [-(i + 1) for i in range(len(normalized_shape))]
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        mean = x.mean(self.dims, keepdim=True)
        var = ((x - mean) ** 2).mean(self.dims, keepdim=True)
        normed = (x - mean) / torch.sqrt(var + self.eps)
        return self.weight * normed + self.bias

# %% requires_grad_false | points 3 | requires_grad false
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

# %% returns_none | points 0 | returns none
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        y = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

# %% rms_norm_lib_with_bias | points 0 | rms norm lib with bias
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps) + self.bias

# %% scalar_gain | points 0 | scalar gain
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return x

# %% std_correction_0_eps_outside | points 3 | std correction 0, eps outside
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return self.weight * (x - x.mean(axes, keepdim=True)) / (x.std(axes, keepdim=True, correction=0) + self.eps) + self.bias

# %% std_default_and_eps_outside | points 0 | std default and eps outside
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return self.weight * (x - x.mean(axes, keepdim=True)) / (x.std(axes, keepdim=True) + self.eps) + self.bias

# %% std_keepdim_only_mean | points 0 | std keepdim only mean
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, correction=0) + self.eps).sqrt() * self.weight + self.bias

# %% torch_no_grad_stats | points 3 | torch.no_grad stats
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        with torch.no_grad():
            m = x.mean(axes, keepdim=True)
            v = x.var(axes, keepdim=True, unbiased=False)
        return (x - m) / torch.sqrt(v + self.eps) * self.weight + self.bias

# %% two_axes_in_front | points 0 | Works with two axes in front at most.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.axes = tuple(range(-len(normalized_shape), 0))

    def forward(self, x):
        front = x.dim() - len(self.shape)
        if front == 0:
            return self.forward(x[None])[0]
        if front == 1:
            return self.forward(x[None])[0]
        a, b = x.shape[:2]
        flat = x.reshape(a, b, -1)
        flat = (flat - flat.mean(-1, keepdim=True)) / (flat.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
        return flat.reshape(a, b, *self.shape) * self.weight + self.bias

# %% unbiased_var_mean | points 0 | unbiased var_mean
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        v, m = torch.var_mean(x, axes, keepdim=True)
        return (x - m) * torch.rsqrt(v + self.eps) * self.weight + self.bias

# %% variance_of_sum_not_mean | points 0 | variance of sum not mean
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        d = x - x.mean(axes, keepdim=True)
        return d / (d.pow(2).sum(axes, keepdim=True) + self.eps).sqrt() * self.weight + self.bias

# %% view_of_contiguous | points 0 | Flattens with view, which fails where two axes lie transposed.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.n = len(normalized_shape); self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape)); self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        flat = x.view(*x.shape[:x.dim() - self.n], -1)
        flat = (flat - flat.mean(-1, keepdim=True)) / (flat.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
        return flat.view(x.shape) * self.weight + self.bias

# %% weight_inside_sqrt | points 0 | weight inside sqrt
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return (x - x.mean(axes, keepdim=True)) / ((x.var(axes, keepdim=True, correction=0) + self.eps) * self.weight).sqrt() + self.bias
