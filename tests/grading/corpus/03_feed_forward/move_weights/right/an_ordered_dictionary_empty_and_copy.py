# an ordered dictionary, empty and copy_
# points: 4

from collections import OrderedDict
def move_weights(state, source, target):
    table = dict(linear=("intermediate", "output"), gpt2=("c_fc", "c_proj"), convolution=("wider", "back"))
    result = OrderedDict()
    for key, value in state.items():
        i = table[source].index(key.split(".")[0])
        kind = key.split(".")[1]
        if kind == "weight":
            flat = value.view(value.shape[0], value.shape[1])
            flat = flat.permute(1, 0) if source == "gpt2" else flat
            flat = flat.permute(1, 0) if target == "gpt2" else flat
            shape = tuple(flat.shape) + ((1,) if target == "convolution" else ())
            new = torch.empty(shape, dtype=value.dtype)
            new.copy_(flat.reshape(shape))
        else:
            new = torch.empty_like(value).copy_(value)
        result[table[target][i] + "." + kind] = new
    return result
