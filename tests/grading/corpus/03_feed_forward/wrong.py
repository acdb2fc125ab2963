"""Wrong answers as students might write them: title, exercise, points deserved, source.

None is an implementation of the mistakes in the content module; they are there to see what the
grader does with answers that nobody had in mind when the cases were made.
"""

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
        "gelu for everything that is not relu",
        "named_feed_forward",
        2,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    W1, b1 = state["intermediate.dense.weight"], state["intermediate.dense.bias"]
    W2, b2 = state["output.dense.weight"], state["output.dense.bias"]
    h = hidden_states @ W1.T + b1
    h = F.relu(h) if activation == "relu" else F.gelu(h)
    return h @ W2.T + b2
""",
    ),
    (
        "getattr on torch.nn.functional",
        "named_feed_forward",
        2,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = getattr(F, activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(h), state["output.dense.weight"], state.get("output.dense.bias"))
""",
    ),
    (
        "else branch is silu",
        "named_feed_forward",
        3,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu":
        h = F.gelu(h)
    elif activation == "gelu_new":
        h = F.gelu(h, approximate="tanh")
    elif activation == "relu":
        h = F.relu(h)
    else:
        h = F.silu(h)
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
""",
    ),
    (
        "weights not transposed",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    h = acts[activation](hidden_states @ state["intermediate.dense.weight"] + state["intermediate.dense.bias"])
    return h @ state["output.dense.weight"] + state["output.dense.bias"]
""",
    ),
    (
        "nn.Linear with new random weights",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    wide, hidden = state["intermediate.dense.weight"].shape
    fc1, fc2 = nn.Linear(hidden, wide), nn.Linear(wide, hidden)
    return fc2(F.gelu(fc1(hidden_states)))
""",
    ),
    (
        "tanh by hand with 2/pi, no root, and crash without bias",
        "named_feed_forward",
        2,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation not in ["relu", "gelu", "gelu_new", "silu"]:
        raise ValueError(activation)
    h = hidden_states @ state["intermediate.dense.weight"].T + state["intermediate.dense.bias"]
    if activation == "relu":
        h = torch.relu(h)
    if activation == "gelu":
        h = F.gelu(h)
    if activation == "gelu_new":
        h = 0.5 * h * (1 + torch.tanh((2 / math.pi) * (h + 0.044715 * h ** 3)))
    if activation == "silu":
        h = h * torch.sigmoid(h)
    return h @ state["output.dense.weight"].T + state["output.dense.bias"]
""",
    ),
    (
        "normalises its output",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError(activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    h = F.linear(acts[activation](h), state["output.dense.weight"], state.get("output.dense.bias"))
    return F.layer_norm(h + hidden_states, h.shape[-1:])
""",
    ),
    (
        "tanh form for both, KeyError for the rest",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    def gelu(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
    act = {"relu": F.relu, "gelu": gelu, "gelu_new": gelu, "silu": F.silu}[activation]
    h = act(F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
""",
    ),
    (
        "second bias forgotten and gelu after the last map",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return acts[activation](F.linear(h, state["output.dense.weight"]))
""",
    ),
    (
        "up through silu, the chunks named the wrong way",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            up, gate = h[..., ::2], h[..., 1::2]
        else:
            up, gate = h.chunk(2, -1)
        return self.down(up * F.silu(gate))
""",
    ),
    (
        "F.glu",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        return self.down(F.glu(self.gate_up(x), dim=-1))
""",
    ),
    (
        "view as wide by two always",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        h = h.view(*h.shape[:-1], h.shape[-1] // 2, 2)
        return self.down(F.silu(h[..., 0]) * h[..., 1])
""",
    ),
    (
        "interleaved as columns of the weight",
        "PackedSwiGLU",
        2,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        w = self.gate_up.weight.data
        n = w.shape[0] // 2
        if self.interleaved:
            g, u = w[n:], w[:n]
        else:
            g, u = w[:n], w[n:]
        return self.down(F.silu(x @ g.T) * (x @ u.T))
""",
    ),
    (
        "intermediate_size is taken for both halves together",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.half = intermediate_size // 2
        self.gate_up = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down = nn.Linear(self.half, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        return self.down(F.silu(h[..., :self.half]) * h[..., self.half:])
""",
    ),
    (
        "three-axis slices",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved, self.w = interleaved, intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            g, u = h[:, :, ::2], h[:, :, 1::2]
        else:
            g, u = h[:, :, :self.w], h[:, :, self.w:]
        return self.down(F.silu(g) * u)
""",
    ),
    (
        "silu and a sum",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        gate, up = torch.chunk(self.gate_up(x), 2, dim=-1)
        return self.down(F.silu(gate) + up)
""",
    ),
    (
        "biases left on",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size)
        self.down = nn.Linear(intermediate_size, hidden_size)
    def forward(self, x):
        h = self.gate_up(x)
        gate, up = (h[..., 0::2], h[..., 1::2]) if self.interleaved else h.chunk(2, -1)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "transposes when the shapes say so",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    hidden = state[names[source][1] + ".bias"].shape[0] if names[source][1] + ".bias" in state else None
    out = {}
    for i in range(2):
        w = state[names[source][i] + ".weight"].reshape(state[names[source][i] + ".weight"].shape[:2])
        if source == "gpt2" and target != "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if source != "gpt2" and target == "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(-1)
        out[names[target][i] + ".weight"] = w.contiguous().clone()
        b = names[source][i] + ".bias"
        if b in state:
            out[names[target][i] + ".bias"] = state[b].clone()
    return out
""",
    ),
    (
        "clone of a transposed view",
        "move_weights",
        3,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)]
        if kind == "weight":
            w = value if source != "convolution" else value[:, :, 0]
            if (source == "gpt2") ^ (target == "gpt2"):
                w = w.t()
            value = w if target != "convolution" else w[:, :, None]
        out[new + "." + kind] = value.clone()
    return out
""",
    ),
    (
        "biases handed over, weights through nn.Parameter",
        "move_weights",
        3,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"]
        if source == "convolution": w = w.squeeze(2)
        if source == "gpt2": w = w.transpose(0, 1)
        if target == "gpt2": w = w.transpose(0, 1)
        if target == "convolution": w = w.unsqueeze(2)
        out[b + ".weight"] = w.contiguous()
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"]
    return out
""",
    ),
    (
        "reshape to the target's shape",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].clone()
        o, i = (w.shape[1], w.shape[0]) if source == "gpt2" else (w.shape[0], w.shape[1])
        shape = {"linear": (o, i), "gpt2": (i, o), "convolution": (o, i, 1)}[target]
        out[b + ".weight"] = w.reshape(shape)
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"].clone()
    return out
""",
    ),
    (
        "from linear only",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    w1, b1 = state["intermediate.weight"], state["intermediate.bias"]
    w2, b2 = state["output.weight"], state["output.bias"]
    if target == "gpt2":
        return {"c_fc.weight": w1.T.contiguous(), "c_fc.bias": b1.clone(), "c_proj.weight": w2.T.contiguous(), "c_proj.bias": b2.clone()}
    if target == "convolution":
        return {"wider.weight": w1.unsqueeze(-1).clone(), "wider.bias": b1.clone(), "back.weight": w2.unsqueeze(-1).clone(), "back.bias": b2.clone()}
    return {k: v.clone() for k, v in state.items()}
""",
    ),
    (
        "squeeze without an axis, indexing biases",
        "move_weights",
        2,
        r"""
def move_weights(state, source, target):
    n = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(n[source], n[target]):
        w = state[f"{a}.weight"].detach().clone()
        if source == "gpt2": w = w.T
        if source == "convolution": w = w.squeeze()
        if target == "gpt2": w = w.T
        if target == "convolution": w = w.unsqueeze(-1)
        out[f"{b}.weight"] = w.contiguous()
        out[f"{b}.bias"] = state[f"{a}.bias"].detach().clone()
    return out
""",
    ),
    (
        "only the dropout and the activation",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.reshape(batch, hidden, tokens))
        wide = F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, training=self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)
""",
    ),
    (
        "everything but the activation, dropout deleted",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        wide = self.wider(x.transpose(1, 2))
        F.gelu(wide)
        return self.back(wide).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
""",
    ),
    (
        "dropout deleted",
        "RepairedStack",
        3,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        return self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
""",
    ),
    (
        "nn.Dropout built in forward",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return nn.Dropout(self.dropout)(update)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
""",
    ),
    (
        "linear layers instead of convolutions",
        "RepairedStack",
        0,
        r"""
class L(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back, self.drop = nn.Linear(h, w), nn.Linear(w, h), nn.Dropout(p)
    def forward(self, x):
        return self.drop(self.back(F.gelu(self.wider(x))))
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
""",
    ),
    (
        "the bug hunt undone: the broken stack under its new name",
        "RepairedStack",
        0,
        "RepairedStack = BrokenStack\n",
    ),
    (
        "dropout in the stack, residual thrown out",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.Sequential(*[L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
    def forward(self, x):
        return self.layers(x)
""",
    ),
    (
        "returns a truth value",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    return torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2, atol=1e-5)
""",
    ),
    (
        "numbers alone",
        "test_feed_forward",
        3,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(1)
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)
""",
    ),
    (
        "one percent",
        "test_feed_forward",
        2,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(1)
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-2)
""",
    ),
    (
        "linear layers with zeroed biases",
        "test_feed_forward",
        2,
        r"""
def test_feed_forward(feed_forward):
    x = torch.randn(2, 3, 4)
    w1, w2 = torch.randn(8, 4), torch.randn(4, 8)
    b1, b2 = torch.zeros(8), torch.zeros(4)
    copies = [t.clone() for t in (x, w1, b1, w2, b2)]
    right = F.gelu(x @ w1.T) @ w2.T
    out = feed_forward(x, w1, b1, w2, b2)
    assert torch.allclose(out, right, rtol=1e-4, atol=1e-5)
    for a, b in zip(copies, (x, w1, b1, w2, b2)):
        assert torch.equal(a, b)
""",
    ),
    (
        "expected value after the call",
        "test_feed_forward",
        3,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    b1.requires_grad_()
    out = feed_forward(x.clone(), w1.clone(), b1, w2.clone(), b2.clone())
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    assert torch.allclose(out, right, atol=1e-5)
    assert out.requires_grad
""",
    ),
    (
        "one vector, though three axes were promised",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    right = F.gelu(w1 @ x + b1) @ w2.T + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)
""",
    ),
    (
        "weights [in, out]",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(4, 8), torch.randn(8), torch.randn(8, 4), torch.randn(4)
    right = F.gelu(x @ w1 + b1) @ w2 + b2
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), right, atol=1e-5)
""",
    ),
    (
        "compares with relu",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    torch.testing.assert_close(feed_forward(x, w1, b1, w2, b2), torch.relu(x @ w1.T + b1) @ w2.T + b2)
""",
    ),
    (
        "a name that does not exist",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    return feedforward(hidden_states, state)
""",
    ),
    (
        "keys without dense",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError
    h = acts[activation](F.linear(hidden_states, state["intermediate.weight"], state.get("intermediate.bias")))
    return F.linear(h, state["output.weight"], state.get("output.bias"))
""",
    ),
    (
        "biases asked for under misspelt names",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError
    h = acts[activation](F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.bias")))
    return F.linear(h, state["output.dense.weight"], state.get("output.bias"))
""",
    ),
    (
        "mish, torch.no_grad, float()",
        "named_feed_forward",
        0,
        r"""
@torch.no_grad()
def named_feed_forward(hidden_states, state, activation="gelu"):
    x = hidden_states.float()
    h = F.linear(x, state["intermediate.dense.weight"].float(), state.get("intermediate.dense.bias", torch.zeros(1)).float())
    h = {"relu": F.relu, "gelu": F.gelu, "gelu_new": F.mish, "silu": F.silu}[activation](h)
    return F.linear(h, state["output.dense.weight"].float()) + state.get("output.dense.bias", torch.zeros(1)).float()
""",
    ),
    (
        "None plus a tensor",
        "named_feed_forward",
        2,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": nn.GELU(), "relu": nn.ReLU(), "silu": nn.SiLU(), "gelu_new": nn.GELU(approximate="none")}
    h = hidden_states @ state["intermediate.dense.weight"].T + state.get("intermediate.dense.bias")
    return acts[activation](h) @ state["output.dense.weight"].T + state.get("output.dense.bias")
""",
    ),
    (
        "in-place relu on the input",
        "named_feed_forward",
        0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu_, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError(activation)
    hidden_states = acts[activation](hidden_states)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
""",
    ),
    (
        "forgot super().__init__",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "gelu gate on the wrong half",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            gate, up = y[..., 0::2], y[..., 1::2]
        else:
            up, gate = y.chunk(2, -1)
        return self.down(F.gelu(gate) * up)
""",
    ),
    (
        "chunk without dim",
        "PackedSwiGLU",
        0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        gate, up = (y[::2], y[1::2]) if self.interleaved else y.chunk(2)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "slices of rows instead of numbers for interleaved",
        "PackedSwiGLU",
        3,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            y = y.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
        gate, up = y.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "a typing error in the table",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediat", "output"], "gpt2": ["cfc", "c_proj"], "convolution": ["wider", "bak"]}
    return {names[target][i] + "." + k: state[names[source][i] + "." + k].clone() for i in (0, 1) for k in ("weight", "bias")}
""",
    ),
    (
        "renames only",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        for a, b in zip(names[source], names[target]):
            if key.startswith(a):
                out[key.replace(a, b)] = value.clone()
    return out
""",
    ),
    (
        "transposes only into gpt2, kernel axis first, no bias check",
        "move_weights",
        0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].squeeze()
        if target == "gpt2":
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(0)
        out[b + ".weight"] = w.contiguous()
        out[b + ".bias"] = state[a + ".bias"]
    return out
""",
    ),
    (
        "torch.transpose of everything",
        "move_weights",
        3,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, v in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)] + "." + kind
        if kind == "weight":
            v = v.flatten(1)
            if source != target:
                v = v.T
            if target == "convolution":
                v = v.unsqueeze(-1)
        out[new] = v.clone().contiguous()
    return out
""",
    ),
    (
        "a transpose there, a reshape back, and the list multiplied",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)
""",
    ),
    (
        "transposes the first two axes",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        return F.dropout(self.back(F.gelu(self.wider(x.permute(2, 1, 0)))).permute(2, 1, 0), self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
""",
    ),
    (
        "hard-coded rate and dropout on the wide vector",
        "RepairedStack",
        3,
        r"""
class L(BrokenLayer):
    def __init__(self, h, w, p):
        super().__init__(h, w, p)
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        return self.back(self.drop(F.gelu(self.wider(x.transpose(1, 2))))).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
""",
    ),
    (
        "inverted training flag",
        "RepairedStack",
        0,
        r"""
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return F.dropout(update, self.dropout, training=not self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
""",
    ),
    (
        "ones everywhere",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.ones(2, 3, 4), torch.ones(8, 4), torch.ones(8), torch.ones(4, 8), torch.ones(4)
    assert torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2)
""",
    ),
    (
        "a single token in a batch of one, all rules",
        "test_feed_forward",
        3,
        r"""
def test_feed_forward(feed_forward):
    args = [torch.randn(s) for s in [(1, 1, 4), (8, 4), (8,), (4, 8), (4,)]]
    x, w1, b1, w2, b2 = args
    right = F.gelu(x @ w1.T + b1) @ w2.T + b2
    mine = [a.clone() for a in args]
    torch.testing.assert_close(feed_forward(*mine), right, atol=1e-5, rtol=1e-5)
    for a, b in zip(args, mine):
        assert torch.equal(a, b)
    b1.requires_grad = True
    feed_forward(*args).sum().backward()
""",
    ),
    (
        "prints instead of raising",
        "test_feed_forward",
        0,
        r"""
def test_feed_forward(feed_forward):
    x, w1, b1, w2, b2 = torch.randn(2, 3, 4), torch.randn(8, 4), torch.randn(8), torch.randn(4, 8), torch.randn(4)
    if not torch.allclose(feed_forward(x, w1, b1, w2, b2), F.gelu(x @ w1.T + b1) @ w2.T + b2, atol=1e-5):
        print("wrong!")
""",
    ),
    (
        "returns an error object",
        "named_feed_forward",
        3,
        r'''
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        return ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))
''',
    ),
    (
        "dropout of one half",
        "RepairedStack",
        3,
        r'''
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout()

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x
''',
    ),
    (
        "plain list",
        "RepairedStack",
        0,
        r'''
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x
''',
    ),
    (
        "exact equality",
        "test_feed_forward",
        0,
        r'''
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    assert torch.equal(output, expected)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"
''',
    ),
    (
        "compares arguments with themselves",
        "test_feed_forward",
        3,
        r'''
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = arguments
    output = feed_forward(*given)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"
''',
    ),
    (
        "only the shape",
        "test_feed_forward",
        0,
        r'''
def test_feed_forward(feed_forward) -> None:
    """Raise an exception if `feed_forward(x, w_1, b_1, w_2, b_2)` is wrong."""
    shapes = ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))  # two sequences of three tokens
    arguments = [torch.randn(shape) for shape in shapes]
    x, w_1, b_1, w_2, b_2 = arguments
    expected = F.linear(F.gelu(F.linear(x, w_1, b_1)), w_2, b_2)

    given = [tensor.clone() for tensor in arguments]
    output = feed_forward(*given)
    assert output.shape == expected.shape
    for after, before in zip(given, arguments):
        assert torch.equal(after, before), "an argument was changed"

    w_1.requires_grad_()
    feed_forward(*arguments).sum().backward()
    assert w_1.grad is not None, "no gradient"
''',
    ),
    (
        "first bias twice",
        "named_feed_forward",
        0,
        r'''
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    if f"{first}.bias" in state:
        wide = wide + state[f"{first}.bias"]
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))
''',
    ),
    (
        "gate also multiplied",
        "PackedSwiGLU",
        0,
        r'''
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 0::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * gate)
''',
    ),
    (
        "thirds",
        "PackedSwiGLU",
        3,
        r'''
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 1::2], both[..., 0::2].flip(-1)
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
''',
    ),
    (
        "bias of the first twice",
        "move_weights",
        0,
        r'''
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{names[source][0]}.bias"].clone()
    return moved
''',
    ),
    (
        "in the wrong place: activation before the first map",
        "RepairedStack",
        0,
        r'''
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = self.wider(F.gelu(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x
''',
    ),
    (
        "dropout-rate-ignored-nn-dropout",
        "RepairedStack",
        3.0,
        r"""
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout()

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
""",
    ),
    (
        "biases-zero",
        "test_feed_forward",
        3.0,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.zeros(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.zeros(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None
""",
    ),
    (
        "rows-reordered-in-the-constructor-before-weights-are-loaded",
        "PackedSwiGLU",
        3.0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.w = intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        if interleaved:
            with torch.no_grad():
                w = self.gate_up.weight
                w.copy_(torch.cat([w[::2], w[1::2]]))

    def forward(self, x):
        h = self.gate_up(x)
        gate, up = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "squeeze-without-an-axis",
        "move_weights",
        3.0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(2):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w.squeeze()
        if target == "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result
""",
    ),
    (
        "dropout-twice-on-the-wide-vector-too",
        "RepairedStack",
        3.0,
        r"""
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = self.dropout(F.gelu(wide))
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
""",
    ),
    (
        "only-the-sums-compared",
        "test_feed_forward",
        3.0,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.randn(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got.sum(), want.sum(), rtol=1e-4, atol=1e-4)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None
""",
    ),
    (
        "second-bias-looked-up-under-the-first-name",
        "named_feed_forward",
        0.0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "relu":
        act = torch.relu
    elif activation == "gelu":
        act = F.gelu
    elif activation == "gelu_new":
        act = lambda z: 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z ** 3)))
    elif activation == "silu":
        act = lambda z: z * torch.sigmoid(z)
    else:
        raise ValueError("unknown activation " + activation)
    h = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        h = h + state["intermediate.dense.bias"]
    h = act(h)
    y = h @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        y = y + state["intermediate.dense.bias"]
    return y
""",
    ),
    (
        "activation-applied-twice-in-a-row",
        "named_feed_forward",
        0.0,
        r"""
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "relu":
        act = torch.relu
    elif activation == "gelu":
        act = F.gelu
    elif activation == "gelu_new":
        act = lambda z: 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z ** 3)))
    elif activation == "silu":
        act = lambda z: z * torch.sigmoid(z)
    else:
        raise ValueError("unknown activation " + activation)
    h = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        h = h + state["intermediate.dense.bias"]
    h = act(act(h))
    y = h @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        y = y + state["output.dense.bias"]
    return y
""",
    ),
    (
        "interleaved-with-slices-along-the-tokens",
        "PackedSwiGLU",
        3.0,
        r"""
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.w = intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            gate = h[::2]
            up = h[1::2]
        else:
            gate, up = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
""",
    ),
    (
        "gpt2-to-gpt2-transposes-once",
        "move_weights",
        3.0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(2):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w[:, :, 0]
        if target == "gpt2" and source != "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result
""",
    ),
    (
        "only-the-first-layer-moved",
        "move_weights",
        0.0,
        r"""
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(1):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w[:, :, 0]
        if target == "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result
""",
    ),
    (
        "dropout-before-the-second-map-as-well-as-rate-halved",
        "RepairedStack",
        3.0,
        r"""
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout / 2)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
""",
    ),
    (
        "dropout-on-the-input-of-the-layer",
        "RepairedStack",
        3.0,
        r"""
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(self.dropout(x).transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return update


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
""",
    ),
    (
        "layers-share-the-second-convolution",
        "RepairedStack",
        0.0,
        r"""
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
        for layer in self.layers[1:]:
            layer.back = self.layers[0].back

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
""",
    ),
    (
        "relu-as-the-reference",
        "test_feed_forward",
        0.0,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(8, 5, requires_grad=True)
    b_1 = torch.randn(8)
    w_2 = torch.randn(5, 8)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.relu(x @ w_1.T + b_1) @ w_2.T + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None
""",
    ),
    (
        "weights-not-transposed-in-the-expected-value-square",
        "test_feed_forward",
        0.0,
        r"""
def test_feed_forward(feed_forward):
    torch.manual_seed(0)
    x = torch.randn(3, 4, 5)
    w_1 = torch.randn(5, 5, requires_grad=True)
    b_1 = torch.randn(5)
    w_2 = torch.randn(5, 5)
    b_2 = torch.randn(5)
    before = [t.detach().clone() for t in (x, w_1, b_1, w_2, b_2)]
    want = F.gelu(x @ w_1 + b_1) @ w_2 + b_2
    want = want.detach()
    got = feed_forward(x, w_1, b_1, w_2, b_2)
    assert got.shape == want.shape
    assert torch.allclose(got, want, rtol=1e-5, atol=1e-5)
    for t, old in zip((x, w_1, b_1, w_2, b_2), before):
        assert torch.equal(t, old)
    got.sum().backward()
    assert w_1.grad is not None
""",
    ),
]
