# Gradients are switched off when the hidden states require none, so the state's tensors then get none either.
# points: 3
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda n: F.gelu(n, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in acts:
        raise ValueError(activation)
    training = torch.is_grad_enabled() and hidden_states.requires_grad
    with torch.set_grad_enabled(training):
        neurons = F.linear(
            hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")
        )
        neurons = acts[activation](neurons)
        return F.linear(neurons, state["output.dense.weight"], state.get("output.dense.bias"))
