# T of a tensor of three axes
# points: 0

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
