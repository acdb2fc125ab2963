# numpy-like-stack-and-einsum
# points: 3

def flax_to_torch(state):
    from collections import OrderedDict
    k = torch.stack([state[f"{n}.kernel"] for n in ("query", "key", "value")])
    b = torch.stack([state.get(f"{n}.bias", torch.zeros_like(k[0, 0])) for n in ("query", "key", "value")])
    o = torch.einsum("hde->ehd", state["out.kernel"])
    return OrderedDict(in_proj_weight=k.permute(0, 2, 3, 1).reshape(-1, k.size(1)), in_proj_bias=b.reshape(-1),
        **{"out_proj.weight": o.reshape(o.size(0), -1), "out_proj.bias": state.get("out.bias", torch.zeros_like(o[:, 0, 0]))})
