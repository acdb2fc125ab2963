# movedim and reshape
# points: 3

def flax_to_torch(state):
    hidden = state["out.bias"].numel() if "out.bias" in state else state["out.kernel"].shape[2]
    new = {"in_proj_weight": torch.vstack([state[n + ".kernel"].movedim(0, -1).reshape(hidden, hidden) for n in ("query", "key", "value")])}
    if "query.bias" in state:
        new["in_proj_bias"] = torch.hstack([state[n + ".bias"].ravel() for n in ("query", "key", "value")])
    else:
        new["in_proj_bias"] = torch.zeros(3 * hidden, dtype=state["out.kernel"].dtype)
    new["out_proj.weight"] = state["out.kernel"].reshape(hidden, hidden).T.contiguous()
    new["out_proj.bias"] = state["out.bias"] if "out.bias" in state else torch.zeros(hidden).to(state["out.kernel"])
    return new
