# gelu for everything that is not relu
# points: 2

def named_feed_forward(hidden_states, state, activation="gelu"):
    W1, b1 = state["intermediate.dense.weight"], state["intermediate.dense.bias"]
    W2, b2 = state["output.dense.weight"], state["output.dense.bias"]
    h = hidden_states @ W1.T + b1
    h = F.relu(h) if activation == "relu" else F.gelu(h)
    return h @ W2.T + b2
