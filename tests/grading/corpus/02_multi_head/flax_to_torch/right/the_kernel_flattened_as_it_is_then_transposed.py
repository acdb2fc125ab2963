# the kernel flattened as it is, then transposed
# points: 3

from collections import OrderedDict
def flax_to_torch(state):
    weight = torch.cat([state[f"{p}.kernel"].flatten(1) for p in ["query", "key", "value"]], dim=1).t()
    hidden = weight.size(1)
    bias = [state.get(f"{p}.bias", weight.new_zeros(hidden)).reshape(hidden) for p in ["query", "key", "value"]]
    return OrderedDict([
        ("in_proj_weight", weight), ("in_proj_bias", torch.cat(bias)),
        ("out_proj.weight", torch.einsum("hdo->ohd", state["out.kernel"]).flatten(1)),
        ("out_proj.bias", state.get("out.bias", weight.new_zeros(hidden))),
    ])
