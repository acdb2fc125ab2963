"""Right answers in many styles: title, exercise, points deserved, source."""

PROLOGUE = """
class BrokenLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.reshape(batch, hidden, tokens))
        F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout)


class BrokenStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        layer = BrokenLayer(hidden_size, intermediate_size, dropout)
        self.layers = nn.ModuleList([layer] * num_layers)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
"""

ANSWERS = [
    (
        "pattern matching",
        "named_feed_forward",
        4,
        r"""
def named_feed_forward(x, weights, act="gelu"):
    w = dict(weights)
    y = x @ w["intermediate.dense.weight"].mT
    if "intermediate.dense.bias" in w:
        y = y + w["intermediate.dense.bias"]
    match act:
        case "relu": y = y.clamp_min(0)
        case "gelu": y = y * (1 + torch.erf(y * math.sqrt(0.5))) / 2
        case "gelu_new": y = y * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (y + 0.044715 * y.pow(3)))
        case "silu": y = y * y.sigmoid()
        case _: raise ValueError(f"unknown: {act}")
    y = y @ w["output.dense.weight"].mT
    return y + w["output.dense.bias"] if "output.dense.bias" in w else y
""",
    ),
    (
        "distribution and functional_call",
        "named_feed_forward",
        4,
        r"""
from torch.func import functional_call
class FF(nn.Module):
    def __init__(self, h, w, bias, act):
        super().__init__()
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(h, w, bias=bias)})
        self.act = act
        self.output = nn.ModuleDict({"dense": nn.Linear(w, h, bias=bias)})
    def forward(self, x):
        return self.output["dense"](self.act(self.intermediate["dense"](x)))
ACTS = dict(relu=nn.ReLU(), gelu=nn.GELU(), gelu_new=nn.GELU("tanh"), silu=nn.SiLU())
def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = ACTS[activation]
    except KeyError:
        raise ValueError(f"unknown activation {activation}") from None
    w, h = state["intermediate.dense.weight"].shape
    return functional_call(FF(h, w, "output.dense.bias" in state, act), state, (hidden_states,))
""",
    ),
    (
        "functions and Parameters made by hand",
        "PackedSwiGLU",
        4,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = nn.Module(), nn.Module()
        self.gate_up.weight = nn.Parameter(torch.zeros(2 * intermediate_size, hidden_size))
        self.down.weight = nn.Parameter(torch.zeros(hidden_size, intermediate_size))
        self.step = 2 if interleaved else 1
        self.w = intermediate_size
    def forward(self, x):
        W = self.gate_up.weight
        g, u = (W[0::2], W[1::2]) if self.step == 2 else (W[: self.w], W[self.w :])
        return (F.silu(x @ g.T) * (x @ u.T)) @ self.down.weight.T
""",
    ),
    (
        "index tensors in buffers that are not saved",
        "PackedSwiGLU",
        4,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        i = torch.arange(intermediate_size)
        gate = 2 * i if interleaved else i
        self.register_buffer("gate", gate, persistent=False)
        self.register_buffer("up", gate + (1 if interleaved else intermediate_size), persistent=False)
    def forward(self, x):
        y = self.gate_up(x)
        g = y.index_select(-1, self.gate)
        return self.down(g.sigmoid() * g * y.index_select(-1, self.up))
""",
    ),
    (
        "swapaxes and torch.tensor of lists",
        "move_weights",
        4,
        r"""
N = {"linear": "intermediate output", "gpt2": "c_fc c_proj", "convolution": "wider back"}
def move_weights(state, source, target):
    result = {}
    for old, new in zip(N[source].split(), N[target].split()):
        for kind in ("weight", "bias"):
            if f"{old}.{kind}" not in state:
                continue
            t = state[f"{old}.{kind}"]
            if kind == "weight":
                if source == "convolution":
                    t = t[:, :, 0]
                if (source == "gpt2") is not (target == "gpt2"):
                    t = t.swapaxes(0, 1)
                if target == "convolution":
                    t = t[:, :, None]
            result[f"{new}.{kind}"] = torch.tensor(t.tolist(), dtype=t.dtype)
    return result
""",
    ),
    (
        "an ordered dictionary, empty and copy_",
        "move_weights",
        4,
        r"""
from collections import OrderedDict
def move_weights(state, source, target):
    table = dict(linear=("intermediate", "output"), gpt2=("c_fc", "c_proj"), convolution=("wider", "back"))
    result = OrderedDict()
    for key, value in state.items():
        i = table[source].index(key.split(".")[0])
        kind = key.split(".")[1]
        if kind == "weight":
            flat = value.view(value.shape[0], value.shape[1])
            flat = flat.permute(1, 0) if source == "gpt2" else flat
            flat = flat.permute(1, 0) if target == "gpt2" else flat
            shape = tuple(flat.shape) + ((1,) if target == "convolution" else ())
            new = torch.empty(shape, dtype=value.dtype)
            new.copy_(flat.reshape(shape))
        else:
            new = torch.empty_like(value).copy_(value)
        result[table[target][i] + "." + kind] = new
    return result
""",
    ),
    (
        "smallest repair",
        "RepairedStack",
        4,
        r"""
class Fixed(BrokenLayer):
    def forward(self, x):
        wide = F.gelu(self.wider(x.mT))
        return F.dropout(self.back(wide).mT, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, 0, dropout)
        self.layers = nn.ModuleList(Fixed(hidden_size, intermediate_size, dropout) for _ in range(num_layers))
""",
    ),
    (
        "einsum on the convolutions' weights, erf by hand",
        "RepairedStack",
        4,
        r"""
import copy
class Layer(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back = nn.Conv1d(h, w, 1), nn.Conv1d(w, h, 1)
        self.drop = nn.Dropout(p)
    def forward(self, x):
        y = torch.einsum("bth,wh->btw", x, self.wider.weight[..., 0]) + self.wider.bias
        y = y * 0.5 * (1 + torch.erf(y / math.sqrt(2)))
        y = torch.einsum("btw,hw->bth", y, self.back.weight[..., 0]) + self.back.bias
        return self.drop(y)
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        one = Layer(hidden_size, intermediate_size, dropout)
        self.layers = nn.ModuleList([copy.deepcopy(one) for _ in range(num_layers)])
    def forward(self, x):
        for i in range(len(self.layers)):
            x = torch.add(x, self.layers[i](x))
        return x
""",
    ),
    (
        "unittest style, float64",
        "test_feed_forward",
        4,
        r"""
def test_feed_forward(ff):
    g = torch.Generator().manual_seed(7)
    args = [torch.randn(*s, generator=g, dtype=torch.float64) for s in [(3, 5, 4), (6, 4), (6,), (4, 6), (4,)]]
    x, w1, b1, w2, b2 = args
    want = torch.zeros_like(x)
    for i in range(3):
        for j in range(5):
            want[i, j] = w2 @ F.gelu(w1 @ x[i, j] + b1) + b2
    copies = [a.clone() for a in args]
    got = ff(*copies)
    if not torch.allclose(got, want, rtol=1e-8, atol=1e-8):
        raise AssertionError("numbers")
    if any(not torch.equal(a, b) for a, b in zip(args, copies)):
        raise AssertionError("changed")
    leaf = [a.clone().requires_grad_() for a in args]
    torch.autograd.grad(ff(*leaf).sum(), leaf)
""",
    ),
    (
        "several rounds, gradcheck",
        "test_feed_forward",
        4,
        r"""
def test_feed_forward(ff):
    for batch, tokens, hidden, wide in [(1, 1, 3, 5), (2, 4, 3, 8), (4, 2, 5, 5)]:
        shapes = (batch, tokens, hidden), (wide, hidden), (wide,), (hidden, wide), (hidden,)
        args = [torch.randn(s).double() for s in shapes]
        before = [a.tolist() for a in args]
        out = ff(*args)
        assert before == [a.tolist() for a in args]
        x, w1, b1, w2, b2 = args
        first = nn.functional.linear(x, w1, b1)
        assert out.shape == x.shape and (out - F.linear(F.gelu(first), w2, b2)).abs().max() < 1e-6
    args = [a.requires_grad_() for a in args]
    assert torch.autograd.gradcheck(lambda *a: ff(*a).sum(), args)
""",
    ),
    (
        "by hand with erf",
        "named_feed_forward",
        4,
        r"""
import math
def named_feed_forward(hidden_states, state, activation="gelu"):
    w1, w2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    z = torch.tensordot(hidden_states, w1, dims=([-1], [1]))
    if "intermediate.dense.bias" in state:
        z = z + state["intermediate.dense.bias"]
    match activation:
        case "relu": z = z.clamp(min=0)
        case "gelu": z = z / 2 * torch.erfc(-z / math.sqrt(2))
        case "gelu_new": z = z / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))
        case "silu": z = z / (1 + torch.exp(-z))
        case _: raise ValueError(activation)
    y = torch.tensordot(z, w2, dims=([-1], [1]))
    return y + state["output.dense.bias"] if "output.dense.bias" in state else y
""",
    ),
    (
        "modules with functional_call",
        "named_feed_forward",
        4,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = {"relu": nn.ReLU(), "gelu": nn.GELU(), "gelu_new": nn.GELU("tanh"), "silu": nn.SiLU()}[activation]
    except KeyError:
        raise ValueError("unknown activation") from None
    w1, w2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b1, b2 = state.get("intermediate.dense.bias", torch.zeros_like(w1[:, 0])), state.get("output.dense.bias", torch.zeros_like(w2[:, 0]))
    return act(hidden_states @ w1.T + b1) @ w2.T + b2
""",
    ),
    (
        "weights split",
        "PackedSwiGLU",
        4,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, False)
        self.down = nn.Linear(intermediate_size, hidden_size, False)
        self.step = interleaved
        self.w = intermediate_size
    def forward(self, x):
        w = self.gate_up.weight
        g, u = (w[::2], w[1::2]) if self.step else (w[: self.w], w[self.w :])
        a = x @ g.T
        return (a * torch.sigmoid(a) * (x @ u.T)) @ self.down.weight.T
""",
    ),
    (
        "unflatten and glu",
        "PackedSwiGLU",
        4,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.shape, self.axis = ((-1, 2), -1) if interleaved else ((2, -1), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.axis)
        return self.down(nn.SiLU()(gate).mul(up))
""",
    ),
    (
        "einsum and tensor copies",
        "move_weights",
        4,
        r"""
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    result = {}
    for i in (0, 1):
        a, b = names[source][i], names[target][i]
        w = state[a + ".weight"]
        w = w.sum(-1) if source == "convolution" else w
        if (source == "gpt2") != (target == "gpt2"):
            w = w.transpose(0, 1)
        w = torch.stack([w], dim=-1) if target == "convolution" else w
        result[b + ".weight"] = torch.tensor(w.tolist(), dtype=w.dtype)
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"] + 0
    return result
""",
    ),
    (
        "sequential and einsum",
        "RepairedStack",
        4,
        r"""
class Layer(nn.Module):
    def __init__(self, d, w, p):
        super().__init__()
        self.back = nn.Conv1d(w, d, 1)
        self.wider = nn.Conv1d(d, w, 1)
        self.p = p
    def forward(self, x):
        h = torch.einsum("btd,wdk->btw", x, self.wider.weight) + self.wider.bias
        h = F.gelu(h)
        return F.dropout(torch.einsum("btw,dwk->btd", h, self.back.weight) + self.back.bias, self.p, self.training)
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(*[Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x) + x
        return x
""",
    ),
    (
        "deepcopy with fresh weights",
        "RepairedStack",
        4,
        r"""
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(nn.ModuleDict({"wider": nn.Conv1d(hidden_size, intermediate_size, 1), "back": nn.Conv1d(intermediate_size, hidden_size, 1)}))
        self.drop = nn.Dropout(dropout)
    def forward(self, x):
        x = x.permute(0, 2, 1)
        for layer in self.layers:
            x = x + self.drop(layer["back"](F.gelu(layer["wider"](x))))
        return x.permute(0, 2, 1)
""",
    ),
    (
        "float64 and several settings",
        "test_feed_forward",
        4,
        r"""
def test_feed_forward(feed_forward):
    g = torch.Generator().manual_seed(7)
    for B, T, D, N in ((1, 1, 3, 5), (3, 4, 5, 11), (2, 7, 6, 6)):
        args = [torch.randn(s, generator=g) for s in ((B, T, D), (N, D), (N,), (D, N), (D,))]
        before = [a.clone() for a in args]
        x, a, b, c, d = [t.double() for t in args]
        h = x @ a.mT + b
        want = (h * 0.5 * (1 + torch.erf(h / 2**0.5))) @ c.mT + d
        got = feed_forward(*args)
        assert got.shape == want.shape
        assert (got.double() - want).abs().max() <= 2e-5
        for t, u in zip(args, before):
            assert torch.equal(t, u)
        for t in args:
            t.requires_grad_()
        grads = torch.autograd.grad(feed_forward(*args).sum(), args)
        assert all(gr.abs().sum() > 0 for gr in grads)
""",
    ),
    (
        "nn modules",
        "test_feed_forward",
        4,
        r"""
def test_feed_forward(feed_forward):
    first, second = nn.Linear(6, 13), nn.Linear(13, 6)
    x = torch.randn(4, 5, 6)
    args = (x, first.weight, first.bias, second.weight, second.bias)
    copies = [a.detach().clone() for a in args]
    want = second(nn.GELU()(first(x))).detach()
    got = feed_forward(*[c.clone() for c in copies])
    if not torch.allclose(got, want, atol=1e-5, rtol=1e-5):
        raise AssertionError
    y = [c.clone() for c in copies]
    feed_forward(*y)
    for p, q in zip(y, copies):
        if not torch.equal(p, q):
            raise RuntimeError("changed")
    out = feed_forward(*args)
    out.sum().backward()
    for p in args[1:]:
        if p.grad is None:
            raise RuntimeError("no grad")
""",
    ),
    (
        "by-hand-with-erf-match",
        "named_feed_forward",
        4.0,
        r"""
import math as m
def named_feed_forward(hidden_states, state, activation="gelu"):
    match activation:
        case "relu": f = lambda z: z.clamp(min=0)
        case "gelu": f = lambda z: z * 0.5 * (1 + torch.erf(z / m.sqrt(2)))
        case "gelu_new": f = lambda z: z * torch.sigmoid(2 * m.sqrt(2 / m.pi) * (z + 0.044715 * z.pow(3)))
        case "silu": f = lambda z: z / (1 + torch.exp(-z))
        case _: raise ValueError(activation)
    def dense(z, name):
        y = torch.einsum("...i,oi->...o", z, state[name + ".weight"])
        b = state.get(name + ".bias")
        return y if b is None else y + b
    return dense(f(dense(hidden_states, "intermediate.dense")), "output.dense")
""",
    ),
    (
        "modules-loaded-through-functional-call",
        "named_feed_forward",
        4.0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    table = dict(relu=nn.ReLU(), gelu=nn.GELU(), gelu_new=nn.GELU(approximate="tanh"), silu=nn.SiLU())
    try:
        act = table[activation]
    except KeyError:
        raise ValueError(f"{activation} unknown") from None
    x = hidden_states
    for i, name in enumerate(["intermediate.dense", "output.dense"]):
        w = state[f"{name}.weight"]
        layer = nn.Linear(w.size(1), w.size(0), bias=f"{name}.bias" in state)
        tensors = {"weight": w}
        if layer.bias is not None:
            tensors["bias"] = state[f"{name}.bias"]
        x = torch.func.functional_call(layer, tensors, (x,))
        if i == 0:
            x = act(x)
    return x
""",
    ),
    (
        "index-tables-other-order-of-registration",
        "PackedSwiGLU",
        4.0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, bias=False)
        i = torch.arange(intermediate_size)
        self.g, self.u = (2 * i, 2 * i + 1) if interleaved else (i, i + intermediate_size)
    def forward(self, x):
        W = self.gate_up.weight
        g, u = x @ W[self.g].T, x @ W[self.u].T
        return (g * g.sigmoid() * u) @ self.down.weight.T
""",
    ),
    (
        "unflatten-and-unbind",
        "PackedSwiGLU",
        4.0,
        r"""
class _NoBias(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(b, a))
    def forward(self, x):
        return torch.einsum("...a,ba->...b", x, self.weight)
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = _NoBias(hidden_size, 2 * intermediate_size), _NoBias(intermediate_size, hidden_size)
        self.shape, self.dim = ((intermediate_size, 2), -1) if interleaved else ((2, intermediate_size), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.dim)
        return self.down(nn.functional.silu(gate).mul(up))
""",
    ),
    (
        "through-the-linear-layout-with-two-helpers",
        "move_weights",
        4.0,
        r"""
def move_weights(state, source, target):
    names = dict(linear=("intermediate", "output"), gpt2=("c_fc", "c_proj"), convolution=("wider", "back"))
    into = {"linear": lambda w: w, "gpt2": lambda w: w.permute(1, 0), "convolution": lambda w: w[..., 0]}
    out = {"linear": lambda w: w, "gpt2": lambda w: w.permute(1, 0), "convolution": lambda w: w[..., None]}
    new = {}
    for key, tensor in state.items():
        layer, kind = key.rsplit(".", 1)
        place = names[source].index(layer)
        if kind == "weight":
            tensor = out[target](into[source](tensor))
        fresh = torch.empty(tensor.shape, dtype=tensor.dtype)
        fresh.copy_(tensor)
        new[names[target][place] + "." + kind] = fresh
    return new
""",
    ),
    (
        "einsum-and-torch-tensor-of-lists",
        "move_weights",
        4.0,
        r"""
def move_weights(state, source, target):
    table = {"linear": ("intermediate", "output", "oi"), "gpt2": ("c_fc", "c_proj", "io"), "convolution": ("wider", "back", "oix")}
    s, t = table[source], table[target]
    new = {}
    for k in (0, 1):
        w = state[s[k] + ".weight"]
        if w.dim() == 3:
            w = w.squeeze(2)
        w = torch.einsum(f"{s[2][:2]}->{t[2][:2]}", w)
        if t[2].endswith("x"):
            w = w.reshape(*w.shape, 1)
        new[t[k] + ".weight"] = torch.tensor(w.tolist(), dtype=w.dtype)
        if s[k] + ".bias" in state:
            b = state[s[k] + ".bias"]
            new[t[k] + ".bias"] = torch.tensor(b.tolist(), dtype=b.dtype)
    return new
""",
    ),
    (
        "sequential-subclass-with-permute-other-order",
        "RepairedStack",
        4.0,
        r"""
class One(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.back = nn.Conv1d(w, h, 1)
        self.wider = nn.Conv1d(h, w, 1)
        self.p = p
    def forward(self, x):
        y = self.back(nn.GELU()(self.wider(x.permute(0, 2, 1)))).permute(0, 2, 1)
        return x + F.dropout(y, p=self.p, training=self.training)
class Chain(nn.Sequential):
    pass
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = Chain(*[One(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        return self.layers(x)
""",
    ),
    (
        "convolution-weights-used-in-f-linear",
        "RepairedStack",
        4.0,
        r"""
class L(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back = nn.Conv1d(h, w, kernel_size=1), nn.Conv1d(w, h, kernel_size=1)
        self.drop = nn.Dropout(p)
    def forward(self, x):
        wide = F.linear(x, self.wider.weight.squeeze(-1), self.wider.bias)
        return self.drop(F.linear(F.gelu(wide), self.back.weight.squeeze(-1), self.back.bias))
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(L(hidden_size, intermediate_size, dropout))
    def forward(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x) + x
        return x
""",
    ),
    (
        "float64-reference-token-by-token",
        "test_feed_forward",
        4.0,
        r"""
def test_feed_forward(feed_forward):
    for B, T, H, W in ((2, 3, 4, 7), (3, 2, 5, 6)):
        x, w1, b1, w2, b2 = (torch.randn(*s) for s in ((B, T, H), (W, H), (W,), (H, W), (H,)))
        orig = [t.clone() for t in (x, w1, b1, w2, b2)]
        leaf = [t.clone().requires_grad_() for t in orig]
        y = feed_forward(*leaf)
        for b in range(B):
            for t in range(T):
                z = w1.double() @ x[b, t].double() + b1.double()
                z = z * 0.5 * (1 + torch.erf(z * 0.5 ** 0.5))
                r = w2.double() @ z + b2.double()
                assert ((y[b, t].double() - r).abs() <= 2e-5 + 1e-5 * r.abs()).all()
        for a, o in zip(leaf, orig):
            assert torch.equal(a.detach(), o)
        y.sum().backward()
        assert all(t.grad is not None for t in leaf)
        feed_forward(x, w1, b1, w2, b2)
        for a, o in zip((x, w1, b1, w2, b2), orig):
            assert torch.equal(a, o)
""",
    ),
    (
        "a-linear-pair-as-the-oracle-error-type-of-its-own",
        "test_feed_forward",
        4.0,
        r"""
class Wrong(Exception):
    pass
def test_feed_forward(feed_forward):
    net = nn.Sequential(nn.Linear(6, 9), nn.GELU(), nn.Linear(9, 6))
    for p in net.parameters():
        nn.init.uniform_(p, -1, 1)
    x = torch.rand(3, 5, 6) * 4 - 2
    args = [x.requires_grad_()] + [p for p in net.parameters()]
    copies = [a.detach().clone() for a in args]
    want = net(x).detach().clone()
    got = feed_forward(*args)
    if got.shape != want.shape or (got - want).abs().max() > 2e-5:
        raise Wrong("numbers")
    if any((a.detach() != c).any() for a, c in zip(args, copies)):
        raise Wrong("changed")
    if not got.requires_grad:
        raise Wrong("detached")
    got.mean().backward()
    if any(a.grad is None for a in args):
        raise Wrong("gradient")
""",
    ),
]
