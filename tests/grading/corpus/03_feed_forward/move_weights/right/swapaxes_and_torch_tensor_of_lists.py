# swapaxes and torch.tensor of lists
# points: 4

N = {"linear": "intermediate output", "gpt2": "c_fc c_proj", "convolution": "wider back"}
def move_weights(state, source, target):
    result = {}
    for old, new in zip(N[source].split(), N[target].split()):
        for kind in ("weight", "bias"):
            if f"{old}.{kind}" not in state:
                continue
            t = state[f"{old}.{kind}"]
            if kind == "weight":
                if source == "convolution":
                    t = t[:, :, 0]
                if (source == "gpt2") is not (target == "gpt2"):
                    t = t.swapaxes(0, 1)
                if target == "convolution":
                    t = t[:, :, None]
            result[f"{new}.{kind}"] = torch.tensor(t.tolist(), dtype=t.dtype)
    return result
