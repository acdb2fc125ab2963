# by hand with erf
# points: 4

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
