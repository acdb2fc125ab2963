# Decides by the shape whether a weight must be transposed: wrong where wide equals hidden.
# points: 0
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for i, (old, new) in enumerate(zip(names[source], names[target])):
        w = state[f"{old}.weight"]
        if w.dim() == 3:
            w = w.squeeze(-1)
        rows, columns = w.shape
        # in nn.Linear's layout the first weight is high, the second is broad
        is_linear = rows > columns if i == 0 else rows < columns
        if is_linear == (target == "gpt2"):
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(-1)
        moved[f"{new}.weight"] = w.contiguous().clone()
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved
