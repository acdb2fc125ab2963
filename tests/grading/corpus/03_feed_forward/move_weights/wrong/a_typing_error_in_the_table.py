# a typing error in the table
# points: 0

def move_weights(state, source, target):
    names = {"linear": ["intermediat", "output"], "gpt2": ["cfc", "c_proj"], "convolution": ["wider", "bak"]}
    return {names[target][i] + "." + k: state[names[source][i] + "." + k].clone() for i in (0, 1) for k in ("weight", "bias")}
