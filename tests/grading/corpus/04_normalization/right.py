"""Right answers in many styles: title, exercise, points deserved, source."""

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
        "F.layer_norm",
        "ShapedLayerNorm",
        4,
        r"""
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)
""",
    ),
    (
        "std squared",
        "ShapedLayerNorm",
        4,
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
        s = x.std(axes, keepdim=True, unbiased=False)
        return torch.div(x - x.mean(axes, keepdim=True), torch.sqrt(s * s + self.eps)).mul(self.weight) + self.bias
""",
    ),
    (
        "wraps LayerNorm state",
        "ShapedLayerNorm",
        4,
        r"""
class ShapedLayerNorm(nn.LayerNorm):
    pass
""",
    ),
    (
        "group norm of one group",
        "ShapedLayerNorm",
        4,
        r"""
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
""",
    ),
    (
        "instance via vmap-like loop",
        "ShapedLayerNorm",
        4,
        r"""
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
""",
    ),
    (
        "einsum",
        "ShapedLayerNorm",
        4,
        r"""
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
""",
    ),
    (
        "powers",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.to(torch.float32)
    return (h * (h ** 2).mean(-1, keepdim=True).add(eps).pow(-0.5)).type_as(x) * weight
""",
    ),
    (
        "nn.RMSNorm",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    norm = nn.RMSNorm(x.size(-1), eps, elementwise_affine=False)
    return norm(x.float()).to(x.dtype).mul(weight)
""",
    ),
    (
        "reciprocal then product",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.float()
    r = 1 / torch.sqrt(h.mul(h).sum(-1, keepdim=True) / h.shape[-1] + eps)
    return weight * (h * r).to(x.dtype)
""",
    ),
    (
        "norm",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.double()
    r = torch.sqrt(h.norm(dim=-1, keepdim=True) ** 2 / h.shape[-1] + eps)
    return weight * (h / r).to(x.dtype)
""",
    ),
    (
        "match",
        "residual_stack",
        4,
        r"""
def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        match placement:
            case 'post': x = next(it)(f(x) + x)
            case 'pre': x = f(next(it)(x)) + x
            case 'sandwich':
                a, b = next(it), next(it)
                x = b(f(a(x))) + x
    for n in it: x = n(x)
    return x
""",
    ),
    (
        "reduce",
        "residual_stack",
        4,
        r"""
from functools import reduce
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == 'post':
        return reduce(lambda h, p: p[1](h + p[0](h)), zip(sublayers, norms), x)
    if placement == 'pre':
        return norms[n](reduce(lambda h, p: h + p[0](p[1](h)), zip(sublayers, norms), x))
    pairs = zip(sublayers, norms[0:2*n:2], norms[1:2*n:2])
    return norms[2*n](reduce(lambda h, p: h + p[2](p[0](p[1](h))), pairs, x))
""",
    ),
    (
        "copied lists popped",
        "residual_stack",
        4,
        r"""
def residual_stack(x, sublayers, norms, placement):
    norms = list(norms)
    for f in sublayers:
        if placement == 'post': x = norms.pop(0)(x + f(x))
        elif placement == 'pre': x = x + f(norms.pop(0)(x))
        else: x = x + norms.pop(1)(f(norms.pop(0)(x)) ) if False else _s(x, f, norms)
    return norms.pop()(x) if norms else x
def _s(x, f, norms):
    a = norms.pop(0); b = norms.pop(0)
    return x + b(f(a(x)))
""",
    ),
    (
        "Dropout module",
        "RepairedLayer",
        4,
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
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "library keywords",
        "RepairedLayer",
        4,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(d_model=hidden_size, nhead=num_heads, dim_feedforward=width, dropout=dropout, activation=F.relu, layer_norm_eps=eps, batch_first=True, norm_first=norm_first)
""",
    ),
    (
        "F.layer_norm",
        "RepairedLayer",
        4,
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
        x = F.layer_norm(x + self.attend(x), x.shape[-1:], self.norm1.weight, self.norm1.bias, self.norm1.eps)
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "need_weights",
        "RepairedLayer",
        4,
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
        output, _ = self.self_attn(x, x, x, need_weights=True)
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
        "inherits broken",
        "RepairedLayer",
        4,
        r"""
class RepairedLayer(BrokenLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.norm2.eps = eps
        self.p = dropout
    def forward(self, x):
        self.dropout = self.p if self.training else 0.0
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
""",
    ),
    (
        "loops",
        "fold_norm",
        4,
        r"""
def fold_norm(before, norm, after):
    n = len(norm['weight'])
    P = torch.eye(n) - 1 / n
    nb = {k: torch.tensordot(P, v, 1) for k, v in before.items()}
    b = torch.zeros(after['weight'].size(0))
    for j in range(n):
        b = b + after['weight'][:, j] * norm['bias'][j]
    if 'bias' in after: b = b + after['bias']
    return nb, {'bias': b, 'weight': torch.einsum('oj,j->oj', after['weight'], norm['weight'])}
""",
    ),
    (
        "linear",
        "fold_norm",
        4,
        r"""
import copy
def fold_norm(before, norm, after):
    before, after = copy.deepcopy(before), copy.deepcopy(after)
    after['bias'] = F.linear(norm['bias'], after['weight'], after.get('bias'))
    after['weight'] *= norm['weight'][None]
    before['weight'] -= before['weight'].mean(dim=0, keepdim=True)
    if before.get('bias') is not None:
        before['bias'] -= before['bias'].mean()
    return before, after
""",
    ),
    (
        "state dicts",
        "fold_norm",
        4,
        r"""
from collections import OrderedDict
def fold_norm(before, norm, after):
    g, s = norm.values()
    nb = OrderedDict((k, v - v.sum(0) / v.shape[0]) for k, v in before.items())
    na = OrderedDict(weight=nn.Parameter(g * after['weight']), bias=nn.Parameter((after['weight'] * s).sum(1) + (after['bias'] if 'bias' in after else 0)))
    return [nb, na]
""",
    ),
    (
        "flatten and functional",
        "ShapedLayerNorm",
        4,
        r"""
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
""",
    ),
    (
        "inherits",
        "ShapedLayerNorm",
        4,
        r"""
class ShapedLayerNorm(nn.LayerNorm):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__(list(normalized_shape), eps=eps)
""",
    ),
    (
        "rsqrt and vector norm",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    h = x.to(torch.float32)
    h = h * torch.rsqrt(torch.linalg.vector_norm(h, dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps)
    return weight * h.type_as(x)
""",
    ),
    (
        "functional rms norm then gain",
        "llama_rms_norm",
        4,
        r"""
def llama_rms_norm(x, weight, eps):
    h = F.rms_norm(x.float(), x.shape[-1:], None, eps)
    return torch.mul(h.to(x.dtype), weight)
""",
    ),
    (
        "iterator of norms",
        "residual_stack",
        4,
        r"""
def residual_stack(x, sublayers, norms, placement):
    n = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(n)(f(x) + x)
        elif placement == "pre":
            x = f(next(n)(x)) + x
        elif placement == "sandwich":
            y = f(next(n)(x))
            x = next(n)(y) + x
    for last in n:
        x = last(x)
    return x
""",
    ),
    (
        "recursion",
        "residual_stack",
        4,
        r"""
def residual_stack(x, sublayers, norms, placement):
    if not sublayers:
        return x if placement == "post" else norms[0](x)
    f, *rest = sublayers
    if placement == "post":
        return residual_stack(norms[0](x + f(x)), rest, norms[1:], placement)
    if placement == "pre":
        return residual_stack(x + f(norms[0](x)), rest, norms[1:], placement)
    return residual_stack(x + norms[1](f(norms[0](x))), rest, norms[2:], placement)
""",
    ),
    (
        "inherits from torch",
        "RepairedLayer",
        4,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout=dropout, layer_norm_eps=eps, batch_first=True, norm_first=norm_first)
""",
    ),
    (
        "dropout modules and helper",
        "RepairedLayer",
        4,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm_first = norm_first
        self.norm1, self.norm2 = (nn.LayerNorm(hidden_size, eps=eps) for _ in range(2))
        self.drop = nn.Dropout(dropout)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
    def forward(self, x):
        parts = [(self.norm1, lambda h: self.self_attn(h, h, h)[0]), (self.norm2, lambda h: self.linear2(self.linear1(h).relu()))]
        for norm, f in parts:
            x = x + self.drop(f(norm(x))) if self.norm_first else norm(x + self.drop(f(x)))
        return x
""",
    ),
    (
        "centring matrix",
        "fold_norm",
        4,
        r"""
def fold_norm(before, norm, after):
    n = norm["weight"].numel()
    C = torch.eye(n, dtype=norm["weight"].dtype) - 1 / n
    first = {k: C @ v for k, v in before.items()}
    w = after["weight"] @ torch.diag(norm["weight"])
    b = torch.einsum("oh,h->o", after["weight"], norm["bias"]) + after.get("bias", 0)
    return first, {"bias": b, "weight": w}
""",
    ),
    (
        "through linear layers",
        "fold_norm",
        4,
        r"""
def fold_norm(before, norm, after):
    new_before = dict(before)
    for k in new_before:
        new_before[k] = before[k] - before[k].sum(0, keepdim=True) / before[k].shape[0]
    b = F.linear(norm["bias"], after["weight"], after.get("bias"))
    return new_before, dict(weight=torch.stack([row * norm["weight"] for row in after["weight"]]), bias=b)
""",
    ),
    (
        "subclass-of-layernorm",
        "ShapedLayerNorm",
        4.0,
        r"""
class ShapedLayerNorm(nn.LayerNorm):
    pass
""",
    ),
    (
        "flatten-the-example-bias-registered-first",
        "ShapedLayerNorm",
        4.0,
        r"""
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
""",
    ),
    (
        "library-rms-norm-in-float32",
        "llama_rms_norm",
        4.0,
        r"""
def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), (x.size(-1),), eps=eps).to(dtype=x.dtype).mul(weight)
""",
    ),
    (
        "vector-norm-in-float64",
        "llama_rms_norm",
        4.0,
        r"""
def llama_rms_norm(x, weight, eps):
    wide = x.double()
    r = (torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps) ** 0.5
    return (wide / r).float().type_as(x) * weight
""",
    ),
    (
        "iterators",
        "residual_stack",
        4.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(it)(torch.add(x, f(x)))
        else:
            y = f(next(it)(x))
            if placement == "sandwich":
                y = next(it)(y)
            x = x + y
    for last in it:
        x = last(x)
    return x
""",
    ),
    (
        "recursion-again",
        "residual_stack",
        4.0,
        r"""
def residual_stack(x, sublayers, norms, placement):
    if not sublayers:
        return x if placement == "post" else norms[0](x)
    f, rest = sublayers[0], sublayers[1:]
    match placement:
        case "post":
            return residual_stack(norms[0](x + f(x)), rest, norms[1:], placement)
        case "pre":
            return residual_stack(x + f(norms[0](x)), rest, norms[1:], placement)
        case "sandwich":
            return residual_stack(x + norms[1](f(norms[0](x))), rest, norms[2:], placement)
""",
    ),
    (
        "subclass-of-the-library-layer",
        "RepairedLayer",
        4.0,
        r"""
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, norm_first=norm_first, layer_norm_eps=eps)
""",
    ),
    (
        "nn-dropout-modules-and-residual-helper-other-order",
        "RepairedLayer",
        4.0,
        r"""
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm2, self.norm1 = nn.LayerNorm(hidden_size, eps=eps), nn.LayerNorm(hidden_size, eps=eps)
        self.linear2, self.linear1 = nn.Linear(width, hidden_size), nn.Linear(hidden_size, width)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, dropout=dropout, batch_first=True)
        self.drop_a, self.drop_b = nn.Dropout(dropout), nn.Dropout(dropout)
        self.first = norm_first
    def forward(self, x):
        for f, norm, drop in ((lambda z: self.self_attn(z, z, z)[0], self.norm1, self.drop_a),
                              (lambda z: self.linear2(self.linear1(z).relu()), self.norm2, self.drop_b)):
            x = x + drop(f(norm(x))) if self.first else norm(x + drop(f(x)))
        return x
""",
    ),
    (
        "centring-matrix-and-diag",
        "fold_norm",
        4.0,
        r"""
def fold_norm(before, norm, after):
    n = before["weight"].size(0)
    C = torch.eye(n, dtype=before["weight"].dtype) - torch.full((n, n), 1 / n, dtype=before["weight"].dtype)
    nb = {k: C @ v for k, v in before.items()}
    na = {"bias": F.linear(norm["bias"], after["weight"], after.get("bias")), "weight": after["weight"] @ torch.diag(norm["weight"])}
    return nb, na
""",
    ),
    (
        "loops-in-float64",
        "fold_norm",
        4.0,
        r"""
def fold_norm(before, norm, after):
    W = before["weight"].double().clone()
    for j in range(W.size(1)):
        W[:, j] -= W[:, j].sum() / W.size(0)
    nb = {"weight": W.to(before["weight"].dtype)}
    if before.get("bias") is not None:
        b = before["bias"].double()
        nb["bias"] = (b - b.sum() / b.numel()).to(before["bias"].dtype)
    V = torch.stack([after["weight"][:, j] * norm["weight"][j] for j in range(W.size(0))], 1)
    c = sum(after["weight"][:, j] * norm["bias"][j] for j in range(W.size(0)))
    if "bias" in after:
        c = after["bias"] + c
    return [nb, {"weight": V, "bias": c}]
""",
    ),
    (
        "with a buffer of its own",
        "ShapedLayerNorm",
        4,
        r"""
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
""",
    ),
]
