# Takes it that the weights of the first map stand before those of the second in the dictionary.
# points: 0
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

    def linear(weight):
        if source == "gpt2":
            return weight.t()
        return weight[..., 0] if source == "convolution" else weight

    def arranged(weight):
        if target == "gpt2":
            return weight.t()
        return weight[..., None] if target == "convolution" else weight

    weights = [value for key, value in state.items() if key.endswith("weight")]
    biases = [value for key, value in state.items() if key.endswith("bias")]
    result = {}
    for name, weight in zip(names[target], weights):
        result[name + ".weight"] = arranged(linear(weight)).contiguous().clone()
    for name, bias in zip(names[target], biases):
        result[name + ".bias"] = bias.contiguous().clone()
    return result
