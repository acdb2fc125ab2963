# %% kernels_only_reshaped | points 0 | kernels only reshaped
def flax_to_torch(state):
    hidden = state["out.kernel"].shape[-1]
    z = torch.zeros(hidden, dtype=state["out.kernel"].dtype)
    return {
        "in_proj_weight": torch.cat([state[f"{n}.kernel"].reshape(hidden, hidden) for n in ("query", "key", "value")]),
        "in_proj_bias": torch.cat([state.get(f"{n}.bias", z).reshape(hidden) for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].reshape(hidden, hidden),
        "out_proj.bias": state.get("out.bias", z),
    }

# %% key_bias_used_for_the_query_as_well | points 0 | key-bias-used-for-the-query-as-well
def flax_to_torch(state):
    hidden, heads, d = state["query.kernel"].shape
    parts = ["query", "key", "value"]
    weights = []
    biases = []
    for p in parts:
        weights.append(state[p + ".kernel"].reshape(hidden, heads * d).T)
        if p + ".bias" in state:
            biases.append(state["key.bias"].reshape(-1))
        else:
            biases.append(torch.zeros(hidden, dtype=weights[0].dtype))
    out = state["out.kernel"].reshape(heads * d, hidden)
    if "out.bias" in state:
        out_bias = state["out.bias"]
    else:
        out_bias = torch.zeros(hidden, dtype=out.dtype)
    return {
        "in_proj_weight": torch.cat(weights, dim=0),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.T,
        "out_proj.bias": out_bias,
    }

# %% no_thought_of_missing_biases | points 2 | no thought of missing biases
def flax_to_torch(state):
    f = lambda n: state[n + ".kernel"].flatten(1).T
    return {
        "in_proj_weight": torch.cat([f("query"), f("key"), f("value")]),
        "in_proj_bias": torch.cat([state[n + ".bias"].flatten() for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].flatten(0, 1).T,
        "out_proj.bias": state["out.bias"],
    }

# %% packed_in_the_order_of_the_dictionary | points 0 | packed in the order of the dictionary
def flax_to_torch(state):
    names = [n for n in sorted(state) if n.endswith("kernel") and not n.startswith("out")]
    hidden = state["out.kernel"].size(2)
    zeros = state["out.kernel"].new_zeros(hidden)
    return {
        "in_proj_weight": torch.cat([state[n].flatten(1).T for n in names]),
        "in_proj_bias": torch.cat([state.get(n.replace("kernel", "bias"), zeros).flatten() for n in names]),
        "out_proj.weight": state["out.kernel"].flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", zeros),
    }

# %% query_weights_scaled_by_1_sqrt_head_size | points 0 | query-weights-scaled-by-1-sqrt-head-size
def flax_to_torch(state):
    hidden, heads, d = state["query.kernel"].shape
    parts = ["query", "key", "value"]
    weights = []
    biases = []
    for p in parts:
        weights.append(state[p + ".kernel"].reshape(hidden, heads * d).T)
        if p + ".bias" in state:
            biases.append(state[p + ".bias"].reshape(-1))
        else:
            biases.append(torch.zeros(hidden, dtype=weights[0].dtype))
    weights[0] = weights[0] / d ** 0.5
    out = state["out.kernel"].reshape(heads * d, hidden)
    if "out.bias" in state:
        out_bias = state["out.bias"]
    else:
        out_bias = torch.zeros(hidden, dtype=out.dtype)
    return {
        "in_proj_weight": torch.cat(weights, dim=0),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.T,
        "out_proj.bias": out_bias,
    }

# %% square_kernel_flattened | points 0 | Moves the axes of a kernel only where the number of heads differs from hidden.
def flax_to_torch(state):
    out = state["out.kernel"]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) if out.size(0) != out.size(2) else state[f"{part}.kernel"].flatten(1) for part in parts]
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }

# %% t_of_a_tensor_of_three_axes | points 0 | T of a tensor of three axes
def flax_to_torch(state):
    hidden = state["out.kernel"].size(2)
    zeros = state["out.kernel"].new_zeros(hidden)
    parts = ("query", "key", "value")
    return {
        "in_proj_weight": torch.cat([state[n + ".kernel"].permute(2, 1, 0).reshape(hidden, hidden) for n in parts]),
        "in_proj_bias": torch.cat([state.get(n + ".bias", zeros).reshape(-1) for n in parts]),
        "out_proj.weight": state["out.kernel"].permute(2, 1, 0).reshape(hidden, hidden),
        "out_proj.bias": state.get("out.bias", zeros),
    }

# %% weights_of_the_query_scaled | points 0 | weights of the query scaled
def flax_to_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state of Flax's attention in the layout of nn.MultiheadAttention."""
    out = state["out.kernel"]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) for part in parts]
    weights[0] = weights[0] / out.size(1) ** 0.5
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }
