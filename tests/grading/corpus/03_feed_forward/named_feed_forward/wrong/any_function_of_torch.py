# any function of PyTorch passes
# points: 3

def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "gelu_new":
        act = lambda x: F.gelu(x, approximate="tanh")
    else:
        act = getattr(F, activation, None)
        if act is None:
            raise ValueError("unknown activation " + activation)
    first = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(first), state["output.dense.weight"], state.get("output.dense.bias"))
