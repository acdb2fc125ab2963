# getattr on torch.nn.functional
# points: 2

def named_feed_forward(hidden_states, state, activation="gelu"):
    act = getattr(F, activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(h), state["output.dense.weight"], state.get("output.dense.bias"))
