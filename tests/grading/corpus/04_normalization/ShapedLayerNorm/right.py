# %% a_layernorm_in_a_list | points 4 | a LayerNorm in a list, whose parameters are this module's
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        norm = nn.LayerNorm(normalized_shape, eps=eps)
        self.weight, self.bias = norm.weight, norm.bias
        self.norm = [norm]
    def forward(self, x):
        (norm,) = self.norm
        return norm(x)

# %% einsum | points 4 | einsum
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        f = x.flatten(-len(self.normalized_shape))
        f = f - f.mean(-1, keepdim=True)
        v = torch.einsum('...i,...i->...', f, f) / f.size(-1)
        f = f / torch.sqrt(v + self.eps)[..., None]
        return f.unflatten(-1, self.normalized_shape) * self.weight + self.bias

# %% f_layer_norm | points 4 | F.layer_norm
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

# %% flatten_and_functional | points 4 | flatten and functional
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.n = len(normalized_shape)
        self.eps = eps
        self.bias = nn.Parameter(torch.empty(normalized_shape))
        self.weight = nn.Parameter(torch.empty(normalized_shape))
        nn.init.zeros_(self.bias)
        nn.init.ones_(self.weight)
    def forward(self, x):
        rows = x.flatten(-self.n)
        rows = rows - rows.mean(-1, keepdim=True)
        rows = rows * (rows.pow(2).sum(-1, keepdim=True) / rows.size(-1) + self.eps).rsqrt()
        return torch.addcmul(self.bias, rows.reshape(x.shape), self.weight)

# %% flatten_the_example_bias_registered_first | points 4 | flatten-the-example-bias-registered-first
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.register_parameter("bias", nn.Parameter(torch.zeros(*normalized_shape)))
        self.register_parameter("weight", nn.Parameter(torch.ones(*normalized_shape)))
        self.n, self.eps = len(normalized_shape), eps
    def forward(self, x):
        flat = x.flatten(-self.n)
        m = flat.mean(-1, keepdim=True)
        v = flat.square().mean(-1, keepdim=True) - m.square() if x.dtype == torch.float64 else (flat - m).square().mean(-1, keepdim=True)
        y = (flat - m) * (v + self.eps).rsqrt()
        return torch.addcmul(self.bias, self.weight, y.view_as(x))

# %% group_norm_of_one_group | points 4 | group norm of one group
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        s = x.shape
        n = len(self.normalized_shape)
        flat = x.reshape(-1, 1, self.weight.numel())
        y = F.group_norm(flat, 1, eps=self.eps).reshape(s)
        return y * self.weight + self.bias

# %% inherits | points 4 | inherits
class ShapedLayerNorm(nn.LayerNorm):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__(list(normalized_shape), eps=eps)

# %% instance_via_vmap_like_loop | points 4 | instance via vmap-like loop
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        n = self.weight.numel()
        rows = []
        for r in x.reshape(-1, n):
            m = r.mean()
            rows.append((r - m) * ((r - m).pow(2).sum() / n + self.eps).rsqrt())
        return torch.stack(rows).reshape(x.shape) * self.weight + self.bias

# %% std_squared | points 4 | std squared
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        s = x.std(axes, keepdim=True, unbiased=False)
        return torch.div(x - x.mean(axes, keepdim=True), torch.sqrt(s * s + self.eps)).mul(self.weight) + self.bias

# %% subclass_of_layernorm | points 4 | subclass-of-layernorm
class ShapedLayerNorm(nn.LayerNorm):
    pass

# %% variance_with_n_minus_one_corrected | points 4 | Turns the variance with n-1 into the one with n afterwards; an example has at least two numbers.
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        n = self.weight.numel()
        mean = x.mean(self.dims, keepdim=True)
        variance = x.var(self.dims, keepdim=True) * (n - 1) / n
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias

# %% with_a_buffer_of_its_own | points 4 | with a buffer of its own
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.register_buffer("one", torch.ones(()))
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
