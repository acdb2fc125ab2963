# mish, torch.no_grad, float()
# points: 2

@torch.no_grad()
def named_feed_forward(hidden_states, state, activation="gelu"):
    x = hidden_states.float()
    h = F.linear(x, state["intermediate.dense.weight"].float(), state.get("intermediate.dense.bias", torch.zeros(1)).float())
    h = {"relu": F.relu, "gelu": F.gelu, "gelu_new": F.mish, "silu": F.silu}[activation](h)
    return F.linear(h, state["output.dense.weight"].float()) + state.get("output.dense.bias", torch.zeros(1)).float()
