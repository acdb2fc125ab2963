# second-bias-looked-up-under-the-first-name
# points: 0

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
