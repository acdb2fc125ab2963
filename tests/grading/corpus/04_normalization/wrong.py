"""Wrong answers as students might write them: title, exercise, points deserved, source.

Those that the grader could not name at first have been added to its known mistakes since.
"""

PROLOGUE = r"""
class BrokenLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        total = x + self.attend(x)
        return self.norm2(total + self.feed_forward(self.norm1(total)))

"""

ANSWERS = [
    (
        "std default and eps outside",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "std correction 0, eps outside",
        "ShapedLayerNorm",
        3,
        r"""
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
""",
    ),
    (
        "annotated transformer",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "F.layer_norm without eps",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias)
""",
    ),
    (
        "F.layer_norm without affine",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, eps=self.eps)
""",
    ),
    (
        "F.layer_norm of last",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], eps=self.eps) * self.weight + self.bias
""",
    ),
    (
        "F.layer_norm of x.shape[1:]",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, x.shape[1:], eps=self.eps) * self.weight + self.bias
""",
    ),
    (
        "torch.no_grad stats",
        "ShapedLayerNorm",
        3,
        r"""
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
""",
    ),
    (
        "gamma beta names",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "forgot super init",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        return x
""",
    ),
    (
        "mean per axis, var joint",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "randn init",
        "ShapedLayerNorm",
        3,
        r"""
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
""",
    ),
    (
        "only centring with mean over all axes",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "float16 stats",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x.bfloat16().float(), self.normalized_shape, self.weight, self.bias, self.eps)
""",
    ),
    (
        "list of dims hard coded for 1 and 2",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "eps 1e-12 constant",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, 1e-12)
""",
    ),
    (
        "course class order",
        "llama_rms_norm",
        3,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps) * weight).to(x.dtype)
""",
    ),
    (
        "no float rsqrt",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight
""",
    ),
    (
        "F.rms_norm direct",
        "llama_rms_norm",
        3,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x, (x.size(-1),), weight, eps)
""",
    ),
    (
        "forgot to cast back",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    x = x.float()
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight
""",
    ),
    (
        "cast back with x rebound",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    x = x.to(torch.float32)
    n = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return weight.float() * n.to(x.dtype)
""",
    ),
    (
        "rms.half then divide",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    rms = (x.float().pow(2).mean(-1, keepdim=True) + eps).sqrt().to(x.dtype)
    return x / rms * weight
""",
    ),
    (
        "to float32 only if half16",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float() if x.dtype == torch.float16 else x
    return (h / torch.sqrt(h.square().mean(-1, keepdim=True) + eps)).to(x.dtype) * weight
""",
    ),
    (
        "layer norm",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    return (F.layer_norm(x.float(), x.shape[-1:], eps=eps)).to(x.dtype) * weight
""",
    ),
    (
        "F.normalize",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.normalize(x.float(), dim=-1).to(x.dtype) * weight
""",
    ),
    (
        "mean dim 1",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
""",
    ),
    (
        "eps squared inside",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps ** 2).sqrt()).to(x.dtype) * weight
""",
    ),
    (
        "F.rms_norm without eps",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), x.shape[-1:]).to(x.dtype) * weight
""",
    ),
    (
        "bfloat16 always",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True) + eps).sqrt()).to(torch.bfloat16) * weight
""",
    ),
    (
        "zip forgets last",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    if placement == 'sandwich':
        for i, f in enumerate(sublayers):
            x = x + norms[2*i+1](f(norms[2*i](x)))
        return x
    for f, n in zip(sublayers, norms):
        x = n(x + f(x)) if placement == 'post' else x + f(n(x))
    return x
""",
    ),
    (
        "only pre gets last",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    if placement == 'pre': x = norms[-1](x)
    return x
""",
    ),
    (
        "last norm inside loop",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = norms[-1](x + f(norms[i](x)))
        else: x = norms[-1](x + norms[2*i+1](f(norms[2*i](x))))
    return x
""",
    ),
    (
        "sandwich i and i+1",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[i+1](f(norms[i](x)))
    if placement == 'post': return x
    return norms[-1](x)
""",
    ),
    (
        "no residual",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](f(x))
        elif placement == 'pre': x = f(norms[i](x))
        else: x = norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "uses i after loop",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    if placement == 'pre': x = norms[i+1](x)
    if placement == 'sandwich': x = norms[2*i+2](x)
    return x
""",
    ),
    (
        "pre last norm is norms[0]",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[0](x)
""",
    ),
    (
        "Post_norm typo in name",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post-norm': x = norms[i](x + f(x))
        elif placement == 'pre-norm': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post-norm' else norms[-1](x)
""",
    ),
    (
        "+= in pre",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x += f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "clone and in place",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    x = x.clone()
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x += f(norms[i](x))
        else: x += norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "post and exchanged residual",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = x + norms[i](f(x))
        elif placement == 'pre': x = norms[i](x + f(x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "sandwich forgets to index",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[i](f(norms[i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "residual twice",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = x + norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "nothing repaired but names",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(t + self.feed_forward(self.norm1(t)))
""",
    ),
    (
        "second residual left",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "library without eps",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, norm_first=norm_first)
""",
    ),
    (
        "library without batch_first",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, norm_first=norm_first, layer_norm_eps=eps)
""",
    ),
    (
        "library without norm_first",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, layer_norm_eps=eps)
""",
    ),
    (
        "dropout removed",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return (self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "dropout one only",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "dropout after sum",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return (self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(self.dropout(x + self.attend(x)))
        return self.norm2(self.dropout(x + self.feed_forward(x)))
""",
    ),
    (
        "functional dropout alive in ffn only",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return F.dropout(self.linear2(F.relu(self.linear1(x))), self.dropout.p)
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "post: ff reads total",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(self.norm1(t) + self.feed_forward(t))
""",
    ),
    (
        "post: no first norm",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = x + self.attend(x)
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "post: added x of input",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        n = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(n))
""",
    ),
    (
        "pre: residual normalised twice",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            x = self.norm2(x)
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "eps to norm2 as affine flag",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, elementwise_affine=True)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "renamed norms",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.ln1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.ln1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.ln1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "new final norm",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm3 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "no mean in before bias",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    nb = dict(before)
    nb['weight'] = before['weight'] - before['weight'].mean(0)
    b = after['weight'] @ norm['bias'] + after.get('bias', 0)
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': b}
""",
    ),
    (
        "keyerror only after",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after['bias']}
""",
    ),
    (
        "diag on wrong side",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': torch.diag(norm['weight']) @ after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "bias after overwritten weight",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = dict(after)
    na['weight'] = na['weight'] * norm['weight']
    na['bias'] = na.get('bias', 0) + na['weight'] @ norm['bias']
    return nb, na
""",
    ),
    (
        "mean over dim 1",
        "fold_norm",
        2,
        r"""
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(1, keepdim=True)}
    if 'bias' in before: nb['bias'] = before['bias'] - before['bias'].mean()
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "before untouched",
        "fold_norm",
        2,
        r"""
def fold_norm(before, norm, after):
    return before, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "in place multiply",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    b = after['weight'] @ norm['bias'] + after.get('bias', 0)
    after['weight'].mul_(norm['weight'])
    return {k: v - v.mean(0) for k, v in before.items()}, {'weight': after['weight'], 'bias': b}
""",
    ),
    (
        "gain in before, not after",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    nb['weight'] = nb['weight'] * norm['weight'][:, None]
    return nb, {'weight': after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "centres after too",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    w = after['weight'] * norm['weight']
    return nb, {'weight': w - w.mean(1, keepdim=True), 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "zero bias for before",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    b = before.get('bias', torch.zeros(len(before['weight'])))
    return {'weight': before['weight'] - before['weight'].mean(0), 'bias': b - b.mean()}, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "no shift, no centring",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    return before, {**after, 'weight': after['weight'] * norm['weight']}
""",
    ),
    (
        "standardises columns",
        "fold_norm",
        2,
        r"""
def fold_norm(before, norm, after):
    nb = {k: (v - v.mean(0)) / v.std(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "sum of beta",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': (after['weight'] * norm['bias']).sum() + after.get('bias', 0)}
""",
    ),
    (
        "variance of sum not mean",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "count only last axis",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "axes from len of x",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "weight inside sqrt",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "scalar gain",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return x
""",
    ),
    (
        "returns none",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        y = F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
""",
    ),
    (
        "print item means",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps).detach() + 0 * (self.weight + self.bias)
""",
    ),
    (
        "batch norm",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return (x - x.mean(0, keepdim=True)) / (x.var(0, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias
""",
    ),
    (
        "requires_grad false",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
""",
    ),
    (
        "eps inside via std",
        "ShapedLayerNorm",
        3,
        r"""
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
""",
    ),
    (
        "rms norm lib with bias",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps) + self.bias
""",
    ),
    (
        "rsqrt of half weight",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.to(torch.float32), (x.shape[-1],), weight.float(), eps)
""",
    ),
    (
        "max instead of rms",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.abs().amax(-1, keepdim=True) + eps)).to(x.dtype) * weight
""",
    ),
    (
        "sqrt eps inside forgotten parenthesis",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / h.square().mean(-1, keepdim=True).sqrt() + eps).to(x.dtype) * weight
""",
    ),
    (
        "gain twice",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), x.shape[-1:], weight.float(), eps).to(x.dtype) * weight
""",
    ),
    (
        "half cast of x then float",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.half().float()
    return (h / (h.square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype) * weight
""",
    ),
    (
        "squeeze",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = (h.square().mean(-1) + eps).sqrt()
    return (h / r).to(x.dtype) * weight
""",
    ),
    (
        "no cast at all float",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + eps) * weight
""",
    ),
    (
        "layers reversed",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in reversed(list(enumerate(sublayers))):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "pre is sandwich",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "returns in loop",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
        return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "final norm always",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return norms[-1](x)
""",
    ),
    (
        "skips sandwich",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "detached residual",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x.detach() + f(x))
        elif placement == 'pre': x = x.detach() + f(norms[i](x))
        else: x = x.detach() + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "subtract",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x - f(x))
        elif placement == 'pre': x = x - f(norms[i](x))
        else: x = x - norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "broken as is",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(BrokenLayer):
    pass
""",
    ),
    (
        "only forward repaired",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(BrokenLayer):
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "post only repaired plus dropout",
        "RepairedLayer",
        2,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "norm_first inverted",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if not self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "final norm in pre",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
            return self.norm2(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "pre second norm forgotten",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "no linear relu",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(self.linear1(x)))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "default eps 1e-12",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, 1e-12)
        self.norm2 = nn.LayerNorm(hidden_size, 1e-12)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "dropout 0.1 alive as F",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, 0.1)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "shared norm object",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = self.norm1
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "swap names",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm2(x + self.attend(x))
        return self.norm1(x + self.feed_forward(x))
""",
    ),
    (
        "qk only",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, torch.zeros_like(x), need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "only returns after",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    return {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "merges linears",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    w = after['weight'] * norm['weight']
    return {'weight': w @ before['weight']}, {'weight': w, 'bias': after['weight'] @ norm['bias']}
""",
    ),
    (
        "beta folded into before bias",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0), 'bias': before.get('bias', 0) + norm['bias']}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after.get('bias', 0)}
""",
    ),
    (
        "bias not mean but zero",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    if 'bias' in before: nb['bias'] = torch.zeros_like(before['bias'])
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "drops before bias",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "total mean",
        "fold_norm",
        2,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean() for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "transposed after",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'].T * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "no bias key when none",
        "fold_norm",
        3,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = {'weight': after['weight'] * norm['weight']}
    if 'bias' in after: na['bias'] = after['bias'] + after['weight'] @ norm['bias']
    return nb, na
""",
    ),
    (
        "beta times gamma",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ (norm['weight'] * norm['bias']) + after.get('bias', 0)}
""",
    ),
    (
        "std keepdim only mean",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "bias from zeros not used, gain only",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, None, self.eps)
""",
    ),
    (
        "unbiased var_mean",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "eps times 2 via default arg 1e-6",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, 1e-6)
""",
    ),
    (
        "gain ones bias ones init",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.ones(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
""",
    ),
    (
        "last axis unbiased",
        "ShapedLayerNorm",
        0,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias
""",
    ),
    (
        "float() on input",
        "ShapedLayerNorm",
        3,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x.float(), self.normalized_shape, self.weight.float(), self.bias.float(), self.eps)
""",
    ),
    (
        "no gain, unbiased",
        "ShapedLayerNorm",
        0,
        r"""
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
""",
    ),
    (
        "mean of half, then float",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    ms = (x * x).mean(-1, keepdim=True).float()
    return (x.float() * torch.rsqrt(ms + eps)).to(x.dtype) * weight
""",
    ),
    (
        "gain float then cast, mean subtracted",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    h = h - h.mean(-1, keepdim=True)
    return (h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)
""",
    ),
    (
        "eps outside & T5",
        "llama_rms_norm",
        0,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return (h / (h.pow(2).mean(-1, keepdim=True).sqrt() + eps) * weight.float()).to(x.dtype)
""",
    ),
    (
        "weight no cast in float16 output",
        "llama_rms_norm",
        2,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + eps) * weight
""",
    ),
    (
        "pre: last norm before the loop",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    if placement != 'post': x = norms[-1](x)
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x
""",
    ),
    (
        "off by one norms",
        "residual_stack",
        2,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i+1](x))
        else: x = x + norms[2*i+2](f(norms[2*i+1](x)))
    return x if placement == 'post' else norms[0](x)
""",
    ),
    (
        "sandwich wraps whole",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = norms[2*i+1](x + f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "sandwich no residual",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "pre no residual",
        "residual_stack",
        3,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "post loops too few",
        "residual_stack",
        0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for i in range(len(sublayers) - 1):
        f = sublayers[i]
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
""",
    ),
    (
        "dropout eval kept, eps lost",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = lambda v: F.dropout(v, dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "pre attends unnormalised",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(x)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "pre and post both with res of norm",
        "RepairedLayer",
        3,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attend(x)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "post unnormalised left",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(t + self.feed_forward(self.norm1(t)))
""",
    ),
    (
        "no first residual",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "ff residual missing post",
        "RepairedLayer",
        0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(self.feed_forward(x))
""",
    ),
    (
        "gain squared",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    w = after['weight'] * norm['weight'] ** 2
    return nb, {'weight': w, 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "bias lost",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias']}
""",
    ),
    (
        "no centring bias + folded",
        "fold_norm",
        0,
        r"""
def fold_norm(before, norm, after):
    nb = dict(before, weight=before['weight'] - before['weight'].mean(0))
    w = after['weight'] * norm['weight']
    return nb, {'weight': w, 'bias': w @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "before keepdim 1 bias",
        "fold_norm",
        2,
        r"""
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(-1, keepdim=True) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
""",
    ),
    (
        "axis after axis",
        "ShapedLayerNorm",
        0,
        r'''
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
''',
    ),
    (
        "pre without the last norm",
        "residual_stack",
        3,
        r'''
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return norms[-1](x) if placement == "sandwich" else x
''',
    ),
    (
        "original x in every layer",
        "residual_stack",
        0,
        r'''
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    start = x
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](start + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
''',
    ),
    (
        "multiplied by the deviation",
        "ShapedLayerNorm",
        0,
        r'''
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
''',
    ),
    (
        "attention residual missing in pre",
        "RepairedLayer",
        3,
        r'''
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
''',
    ),
    (
        "before divided by its deviation",
        "fold_norm",
        2,
        r'''
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: (tensor - tensor.mean(dim=0)) / tensor.std() for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
''',
    ),
    (
        "centred only",
        "ShapedLayerNorm",
        0,
        r'''
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
''',
    ),
    (
        "root twice",
        "llama_rms_norm",
        0,
        r'''
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=-1, keepdim=True)
    normalised = wide / torch.sqrt(torch.sqrt(mean_square + eps))
    return normalised.to(x.dtype) * weight
''',
    ),
    (
        "pre: last norm used in all layers",
        "residual_stack",
        3,
        r'''
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[-1](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
''',
    ),
    (
        "sum subtracted",
        "fold_norm",
        2,
        r'''
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor - tensor.sum(dim=0) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
''',
    ),
    (
        "mean square over the first axis",
        "llama_rms_norm",
        0,
        r'''
def llama_rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """RMSNorm as Llama computes it: rounded to the dtype of `x` before the gain."""
    wide = x.float()
    mean_square = wide.square().mean(dim=0, keepdim=True)
    normalised = wide / torch.sqrt(mean_square + eps)
    return normalised.to(x.dtype) * weight
''',
    ),
    (
        "both norms before the sublayer",
        "residual_stack",
        3,
        r'''
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + sublayer(norms[2 * i + 1](norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
''',
    ),
    (
        "random-starting-gain",
        "ShapedLayerNorm",
        3.0,
        r"""
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
""",
    ),
    (
        "each-sublayer-reads-the-original-x",
        "residual_stack",
        0.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    x0 = x
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x0))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x0))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x0)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)
""",
    ),
    (
        "norms-popped-off-the-caller-s-list",
        "residual_stack",
        3.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    for f in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + f(x))
        elif placement == "pre":
            x = x + f(norms.pop(0)(x))
        else:
            y = f(norms.pop(0)(x))
            x = x + norms.pop(0)(y)
    if placement != "post":
        x = norms.pop(0)(x)
    return x
""",
    ),
    (
        "pre-and-post-exchanged",
        "residual_stack",
        0.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "pre":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x))
        return x
    if placement == "post":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)
""",
    ),
    (
        "gain-folded-into-the-rows-before-the-norm",
        "fold_norm",
        0.0,
        r"""
def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    new_before["weight"] = new_before["weight"] * norm["weight"][:, None]
    new_after = {}
    new_after["weight"] = after["weight"].clone()
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after
""",
    ),
    (
        "rounds-to-float16-always",
        "llama_rms_norm",
        0.0,
        r"""
def llama_rms_norm(x, weight, eps):
    x32 = x.to(torch.float32)
    ms = x32.pow(2).mean(-1, keepdim=True)
    y = x32 * torch.rsqrt(ms + eps)
    return weight * y.half().to(x.dtype)
""",
    ),
    (
        "bias-like-weight-added",
        "llama_rms_norm",
        0.0,
        r"""
def llama_rms_norm(x, weight, eps):
    x32 = x.to(torch.float32)
    ms = x32.pow(2).mean(-1, keepdim=True)
    y = x32 * torch.rsqrt(ms + eps)
    return weight + y.to(x.dtype)
""",
    ),
    (
        "post-norm-norm-of-x-added",
        "residual_stack",
        0.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x) + f(x)
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)
""",
    ),
    (
        "eps-given-to-norm2-only",
        "RepairedLayer",
        3.0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, training=self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, training=self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "dropout-with-a-fixed-rate-of-0-1",
        "RepairedLayer",
        3.0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, 0.1, training=self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, 0.1, training=self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "before-bias-centred-by-the-mean-of-weights",
        "fold_norm",
        3.0,
        r"""
def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["weight"].mean()
    new_after = {}
    new_after["weight"] = after["weight"] * norm["weight"]
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after
""",
    ),
]
