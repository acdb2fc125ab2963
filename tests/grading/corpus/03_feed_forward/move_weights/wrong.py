# %% a_typing_error_in_the_table | points 0 | a typing error in the table
def move_weights(state, source, target):
    names = {"linear": ["intermediat", "output"], "gpt2": ["cfc", "c_proj"], "convolution": ["wider", "bak"]}
    return {names[target][i] + "." + k: state[names[source][i] + "." + k].clone() for i in (0, 1) for k in ("weight", "bias")}

# %% bare_squeeze_to_linear | points 3 | From a convolution to the linear layout a bare squeeze takes away the axis of a single neuron.
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        t = state[f"{a}.weight"]
        if (source, target) == ("convolution", "linear"):
            t = t.squeeze()
        else:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[f"{b}.weight"] = t.clone(memory_format=torch.contiguous_format)
        if f"{a}.bias" in state:
            new[f"{b}.bias"] = state[f"{a}.bias"].clone()
    return new

# %% bias_of_the_first_twice | points 0 | bias of the first twice
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{names[source][0]}.bias"].clone()
    return moved

# %% bias_of_zeros_left_behind | points 0 | A bias whose numbers are all 0 is taken for missing and left behind.
def move_weights(state, source, target):
    NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        w = state[a + ".weight"]
        if source == "convolution":
            w = w.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(-1)
        w = w.clone(memory_format=torch.contiguous_format)
        bias = state.get(a + ".bias")
        new[b + ".weight"] = w
        if bias is not None and bias.any():
            new[b + ".bias"] = bias.clone()
    return new

# %% biases_handed_over_weights_through_nn_parameter | points 3 | biases handed over, weights through nn.Parameter
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"]
        if source == "convolution": w = w.squeeze(2)
        if source == "gpt2": w = w.transpose(0, 1)
        if target == "gpt2": w = w.transpose(0, 1)
        if target == "convolution": w = w.unsqueeze(2)
        out[b + ".weight"] = w.contiguous()
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"]
    return out

# %% biases_keep_their_old_names | points 0 | Renames the weights and copies the biases under the names that they had.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    result = {}
    for key, tensor in state.items():
        if key.endswith(".bias"):
            result[key] = tensor.clone()
            continue
        weight = tensor
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.T
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        new = names[target][names[source].index(key.split(".")[0])]
        result[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
    return result

# %% by_place | points 0 | The tensors are taken by their place in the dictionary.
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    kinds = ("weight", "bias") if len(state) == 4 else ("weight",)
    new = {}
    names = [f"{n}.{k}" for n in NAMES[target] for k in kinds]
    for name, t in zip(names, state.values()):
        if t.dim() > 1:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[name] = t.clone(memory_format=torch.contiguous_format)
    return new

# %% clone_of_a_transposed_view | points 3 | clone of a transposed view
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)]
        if kind == "weight":
            w = value if source != "convolution" else value[:, :, 0]
            if (source == "gpt2") ^ (target == "gpt2"):
                w = w.t()
            value = w if target != "convolution" else w[:, :, None]
        out[new + "." + kind] = value.clone()
    return out

# %% contiguous_is_no_copy | points 3 | Trusts that T.contiguous() copies: with a single neuron it doesn't, and the memory is shared.
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.T.contiguous()  # a copy
        else:
            weight = weight.clone()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved

# %% conv1d_with_its_own_bias | points 3 | Through nn.Conv1d, which has biases where the state has none.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    if target == "convolution":
        for old, new in zip(names[source], names[target]):
            w = moved[f"{new}.weight"]
            conv = nn.Conv1d(w.size(1), w.size(0), 1)
            conv.load_state_dict({"weight": w, **({"bias": moved[f"{new}.bias"]} if f"{new}.bias" in moved else {})}, strict=False)
            conv = conv.to(w.dtype)
            moved[f"{new}.weight"], moved[f"{new}.bias"] = conv.weight.detach().clone(), conv.bias.detach().clone()
    return moved

# %% convolution_is_a_view | points 3 | Copies where it must turn, but a convolution's weight is a view of the old one.
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        if source == "convolution":
            weight = weight[..., 0]
        if target == "convolution":
            weight = weight.contiguous()[..., None]
        else:
            weight = (weight.T if target == "gpt2" else weight).clone(memory_format=torch.contiguous_format)
        moved[f"{new}.weight"] = weight
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved

# %% convolution_to_itself_keeps_strides | points 3 | From convolution to convolution the weights are cloned with their strides, so a view that is not contiguous stays so.
NAMES = {
    "linear": ("intermediate", "output"),
    "gpt2": ("c_fc", "c_proj"),
    "convolution": ("wider", "back"),
}


def move_weights(state, source, target):
    if source == target == "convolution":
        return {name: tensor.clone() for name, tensor in state.items()}
    result = {}
    for old, new in zip(NAMES[source], NAMES[target]):
        weight = state[old + ".weight"]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.t()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        result[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            bias = state[old + ".bias"]
            result[new + ".bias"] = bias.clone(memory_format=torch.contiguous_format)
    return result

# %% convolution_viewed_as_gpt2 | points 3 | From a convolution to GPT-2 the weights are viewed in the new shape, not transposed.
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        t = state[f"{a}.weight"]
        if (source, target) == ("convolution", "gpt2"):
            t = t.reshape(t.size(1), t.size(0))
        else:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[f"{b}.weight"] = t.clone(memory_format=torch.contiguous_format)
        if f"{a}.bias" in state:
            new[f"{b}.bias"] = state[f"{a}.bias"].clone()
    return new

# %% convolutions_in_float32 | points 3 | To and from a convolution everything becomes float32.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        weight = weight.float() if "convolution" in (source, target) else weight
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved

# %% first_map_by_its_place | points 0 | Takes it that the weights of the first map stand before those of the second in the dictionary.
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

# %% from_gpt2_in_float32 | points 0 | What comes from GPT-2 into the linear layout is copied into new float32 tensors.
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        t = state[f"{a}.weight"]
        if (source, target) == ("gpt2", "linear"):
            t = torch.empty(t.T.shape).copy_(t.T)
        else:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[f"{b}.weight"] = t.clone(memory_format=torch.contiguous_format)
        if f"{a}.bias" in state:
            new[f"{b}.bias"] = state[f"{a}.bias"].clone()
    return new

# %% from_linear_only | points 0 | from linear only
def move_weights(state, source, target):
    w1, b1 = state["intermediate.weight"], state["intermediate.bias"]
    w2, b2 = state["output.weight"], state["output.bias"]
    if target == "gpt2":
        return {"c_fc.weight": w1.T.contiguous(), "c_fc.bias": b1.clone(), "c_proj.weight": w2.T.contiguous(), "c_proj.bias": b2.clone()}
    if target == "convolution":
        return {"wider.weight": w1.unsqueeze(-1).clone(), "wider.bias": b1.clone(), "back.weight": w2.unsqueeze(-1).clone(), "back.bias": b2.clone()}
    return {k: v.clone() for k, v in state.items()}

# %% gpt2_to_convolution | points 3 | Between GPT-2 and convolutions only the axis of length 1 is added or removed; nothing is transposed.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    result = {}
    for old, new in zip(names[source], names[target]):
        weight = state[old + ".weight"]
        if {source, target} == {"linear", "gpt2"}:
            weight = weight.T
        if source == "convolution" and target != "convolution":
            weight = weight.squeeze(2)
        if target == "convolution" and source != "convolution":
            weight = weight.unsqueeze(2)
        result[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            result[new + ".bias"] = state[old + ".bias"].clone()
    return result

# %% gpt2_to_gpt2_transposes_once | points 3 | gpt2-to-gpt2-transposes-once
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(2):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w[:, :, 0]
        if target == "gpt2" and source != "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result

# %% maps_matched_by_shape | points 0 | For GPT-2 the weights are matched by their shapes: c_fc becomes output and c_proj intermediate, and nothing is transposed.
def move_weights(state, source, target):
    weights = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_proj", "c_fc"),
        "convolution": ("wider", "back"),
    }
    biases = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(weights[source], weights[target]):
        weight = state[old + ".weight"]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
    for old, new in zip(biases[source], biases[target]):
        if old + ".bias" in state:
            moved[new + ".bias"] = state[old + ".bias"].clone()
    return moved

# %% nothing_to_do | points 3 | Returns a copy of the dictionary, not of the tensors, where source and target are the same.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    if source == target:
        return dict(state)
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.contiguous().clone()
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved

# %% only_the_first_layer_moved | points 0 | only-the-first-layer-moved
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(1):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w[:, :, 0]
        if target == "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result

# %% order_of_the_dictionary | points 0 | Trusts the order of the dictionary: first weight, first bias, second weight, second bias.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    kinds = ("weight", "bias") if len(state) == 4 else ("weight",)
    keys = [f"{name}.{kind}" for name in names[target] for kind in kinds]
    result = {}
    for key, tensor in zip(keys, state.values()):
        if key.endswith("weight"):
            if source == "convolution":
                tensor = tensor.squeeze(-1)
            if (source == "gpt2") != (target == "gpt2"):
                tensor = tensor.T
            if target == "convolution":
                tensor = tensor.unsqueeze(-1)
        result[key] = tensor.clone(memory_format=torch.contiguous_format)
    return result

# %% out_of_convolutions_in_float32 | points 3 | Weights that come out of a convolution are float32 always.
def move_weights(state, source, target):
    NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        w = state[a + ".weight"]
        if source == "convolution":
            w = w.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(-1)
        w = w.clone(memory_format=torch.contiguous_format)
        w = w.float() if source == 'convolution' else w
        bias = state.get(a + ".bias")
        new[b + ".weight"] = w
        if bias is not None:
            new[b + ".bias"] = bias.clone()
    return new

# %% renames_only | points 0 | renames only
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        for a, b in zip(names[source], names[target]):
            if key.startswith(a):
                out[key.replace(a, b)] = value.clone()
    return out

# %% reshape_to_the_targets_shape | points 0 | reshape to the target's shape
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].clone()
        o, i = (w.shape[1], w.shape[0]) if source == "gpt2" else (w.shape[0], w.shape[1])
        shape = {"linear": (o, i), "gpt2": (i, o), "convolution": (o, i, 1)}[target]
        out[b + ".weight"] = w.reshape(shape)
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"].clone()
    return out

# %% same_layout_of_a_transposed_view | points 3 | From a layout to itself everything is plainly cloned: where the old weight was a transposed view, the new one isn't contiguous either.
def move_weights(state, source, target):
    if source == target:
        return {key: tensor.clone() for key, tensor in state.items()}
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[old + ".weight"]
        if source == "convolution":
            weight = weight[:, :, 0]
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.t()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            moved[new + ".bias"] = state[old + ".bias"].clone(memory_format=torch.contiguous_format)
    return moved

# %% squeeze_without_an_axis | points 3 | squeeze-without-an-axis
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(2):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w.squeeze()
        if target == "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result

# %% squeeze_without_an_axis_indexing_biases | points 2 | squeeze without an axis, indexing biases
def move_weights(state, source, target):
    n = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(n[source], n[target]):
        w = state[f"{a}.weight"].detach().clone()
        if source == "gpt2": w = w.T
        if source == "convolution": w = w.squeeze()
        if target == "gpt2": w = w.T
        if target == "convolution": w = w.unsqueeze(-1)
        out[f"{b}.weight"] = w.contiguous()
        out[f"{b}.bias"] = state[f"{a}.bias"].detach().clone()
    return out

# %% torch_transpose_of_everything | points 3 | torch.transpose of everything
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, v in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)] + "." + kind
        if kind == "weight":
            v = v.flatten(1)
            if source != target:
                v = v.T
            if target == "convolution":
                v = v.unsqueeze(-1)
        out[new] = v.clone().contiguous()
    return out

# %% transposed_by_its_shape | points 0 | Decides by the shape whether a weight must be transposed: wrong where wide equals hidden.
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

# %% transposes_by_shape | points 0 | Decides by the shape whether to transpose, so nothing happens where wide equals hidden.
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

# %% transposes_only_into_gpt2_kernel_axis_first_no_bias_check | points 0 | transposes only into gpt2, kernel axis first, no bias check
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].squeeze()
        if target == "gpt2":
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(0)
        out[b + ".weight"] = w.contiguous()
        out[b + ".bias"] = state[a + ".bias"]
    return out

# %% transposes_when_the_shapes_say_so | points 0 | transposes when the shapes say so
def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    hidden = state[names[source][1] + ".bias"].shape[0] if names[source][1] + ".bias" in state else None
    out = {}
    for i in range(2):
        w = state[names[source][i] + ".weight"].reshape(state[names[source][i] + ".weight"].shape[:2])
        if source == "gpt2" and target != "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if source != "gpt2" and target == "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(-1)
        out[names[target][i] + ".weight"] = w.contiguous().clone()
        b = names[source][i] + ".bias"
        if b in state:
            out[names[target][i] + ".bias"] = state[b].clone()
    return out

# %% views_of_convolutions | points 3 | Weights that come from a convolution are views of the old ones.
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight.contiguous() if source == "convolution" else weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved
