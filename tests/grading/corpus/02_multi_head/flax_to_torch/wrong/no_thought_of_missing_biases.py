# no thought of missing biases
# points: 2

def flax_to_torch(state):
    f = lambda n: state[n + ".kernel"].flatten(1).T
    return {
        "in_proj_weight": torch.cat([f("query"), f("key"), f("value")]),
        "in_proj_bias": torch.cat([state[n + ".bias"].flatten() for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].flatten(0, 1).T,
        "out_proj.bias": state["out.bias"],
    }
