# packed in the order of the dictionary
# points: 0

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
