# %% by_hand_with_erf | points 4 | by hand with erf
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

# %% by_hand_with_erf_match | points 4 | by-hand-with-erf-match
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

# %% modules_loaded_through_functional_call | points 4 | modules-loaded-through-functional-call
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

# %% modules_with_functional_call | points 4 | modules with functional_call
def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = {"relu": nn.ReLU(), "gelu": nn.GELU(), "gelu_new": nn.GELU("tanh"), "silu": nn.SiLU()}[activation]
    except KeyError:
        raise ValueError("unknown activation") from None
    w1, w2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b1, b2 = state.get("intermediate.dense.bias", torch.zeros_like(w1[:, 0])), state.get("output.dense.bias", torch.zeros_like(w2[:, 0]))
    return act(hidden_states @ w1.T + b1) @ w2.T + b2

# %% pattern_matching | points 4 | pattern matching
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
