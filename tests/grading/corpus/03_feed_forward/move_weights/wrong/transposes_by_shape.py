# Decides by the shape whether to transpose, so nothing happens where wide equals hidden.
# points: 0
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    first, second = names[source]
    hidden = state[f"{second}.bias"].numel() if f"{second}.bias" in state else min(state[f"{first}.weight"].shape[:2])
    result = {}
    for i, (old, new) in enumerate(zip(names[source], names[target])):
        weight = state[f"{old}.weight"]
        if source == "convolution":
            weight = weight[:, :, 0]
        rows_are_hidden = weight.size(0) == hidden
        wants_hidden_rows = (i == 1) != (target == "gpt2")
        if rows_are_hidden != wants_hidden_rows:
            weight = weight.T
        if target == "convolution":
            weight = weight[:, :, None]
        result[f"{new}.weight"] = weight.contiguous().clone()
        if f"{old}.bias" in state:
            result[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return result
