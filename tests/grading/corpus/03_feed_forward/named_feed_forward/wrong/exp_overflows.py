# tanh and sigmoid are written with exp, which overflows: gelu_new gives nan above about 10, silu above about 89.
# points: 3
import math


def _tanh(x):
    e = torch.exp(2 * x)
    return (e - 1) / (e + 1)


def named_feed_forward(hidden_states, state, activation="gelu"):
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu":
        wide = 0.5 * wide * (1 + torch.erf(wide / math.sqrt(2)))
    elif activation == "relu":
        wide = torch.relu(wide)
    elif activation == "gelu_new":
        wide = 0.5 * wide * (1 + _tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
    elif activation == "silu":
        e = torch.exp(wide)
        wide = wide * e / (1 + e)
    else:
        raise ValueError(activation)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))
