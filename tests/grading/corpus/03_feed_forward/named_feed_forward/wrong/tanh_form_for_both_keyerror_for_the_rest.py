# tanh form for both, KeyError for the rest
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    def gelu(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
    act = {"relu": F.relu, "gelu": gelu, "gelu_new": gelu, "silu": F.silu}[activation]
    h = act(F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
