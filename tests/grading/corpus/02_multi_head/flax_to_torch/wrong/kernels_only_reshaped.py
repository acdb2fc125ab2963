# kernels only reshaped
# points: 0

def flax_to_torch(state):
    hidden = state["out.kernel"].shape[-1]
    z = torch.zeros(hidden, dtype=state["out.kernel"].dtype)
    return {
        "in_proj_weight": torch.cat([state[f"{n}.kernel"].reshape(hidden, hidden) for n in ("query", "key", "value")]),
        "in_proj_bias": torch.cat([state.get(f"{n}.bias", z).reshape(hidden) for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].reshape(hidden, hidden),
        "out_proj.bias": state.get("out.bias", z),
    }
