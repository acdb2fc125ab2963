# einsum rearranges
# points: 3

def flax_to_torch(state):
    d = state["out.kernel"].shape[-1]
    w = [torch.einsum("dhe->hed", state[f"{p}.kernel"]).reshape(d, d) for p in "query key value".split()]
    b = [state[f"{p}.bias"].reshape(d) if f"{p}.bias" in state else torch.zeros_like(w[0][:, 0]) for p in "query key value".split()]
    return {"in_proj_weight": torch.vstack(w), "in_proj_bias": torch.hstack(b),
            "out_proj.weight": torch.einsum("heo->ohe", state["out.kernel"]).reshape(d, d),
            "out_proj.bias": state["out.bias"] if "out.bias" in state else torch.zeros_like(w[0][0])}
