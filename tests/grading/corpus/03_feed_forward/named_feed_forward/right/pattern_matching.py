# pattern matching
# points: 4

def named_feed_forward(x, weights, act="gelu"):
    w = dict(weights)
    y = x @ w["intermediate.dense.weight"].mT
    if "intermediate.dense.bias" in w:
        y = y + w["intermediate.dense.bias"]
    match act:
        case "relu": y = y.clamp_min(0)
        case "gelu": y = y * (1 + torch.erf(y * math.sqrt(0.5))) / 2
        case "gelu_new": y = y * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (y + 0.044715 * y.pow(3)))
        case "silu": y = y * y.sigmoid()
        case _: raise ValueError(f"unknown: {act}")
    y = y @ w["output.dense.weight"].mT
    return y + w["output.dense.bias"] if "output.dense.bias" in w else y
