# by-hand-with-erf-match
# points: 4

import math as m
def named_feed_forward(hidden_states, state, activation="gelu"):
    match activation:
        case "relu": f = lambda z: z.clamp(min=0)
        case "gelu": f = lambda z: z * 0.5 * (1 + torch.erf(z / m.sqrt(2)))
        case "gelu_new": f = lambda z: z * torch.sigmoid(2 * m.sqrt(2 / m.pi) * (z + 0.044715 * z.pow(3)))
        case "silu": f = lambda z: z / (1 + torch.exp(-z))
        case _: raise ValueError(activation)
    def dense(z, name):
        y = torch.einsum("...i,oi->...o", z, state[name + ".weight"])
        b = state.get(name + ".bias")
        return y if b is None else y + b
    return dense(f(dense(hidden_states, "intermediate.dense")), "output.dense")
