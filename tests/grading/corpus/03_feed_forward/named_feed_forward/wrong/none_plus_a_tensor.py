# None plus a tensor
# points: 2

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": nn.GELU(), "relu": nn.ReLU(), "silu": nn.SiLU(), "gelu_new": nn.GELU(approximate="none")}
    h = hidden_states @ state["intermediate.dense.weight"].T + state.get("intermediate.dense.bias")
    return acts[activation](h) @ state["output.dense.weight"].T + state.get("output.dense.bias")
