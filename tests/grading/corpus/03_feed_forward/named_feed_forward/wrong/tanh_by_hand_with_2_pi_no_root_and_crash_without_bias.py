# tanh by hand with 2/pi, no root, and crash without bias
# points: 2

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
