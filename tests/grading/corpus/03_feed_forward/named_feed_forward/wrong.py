# %% a_name_that_does_not_exist | points 0 | a name that does not exist
def named_feed_forward(hidden_states, state, activation="gelu"):
    return feedforward(hidden_states, state)

# %% activation_applied_twice_in_a_row | points 0 | activation-applied-twice-in-a-row
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "relu":
        act = torch.relu
    elif activation == "gelu":
        act = F.gelu
    elif activation == "gelu_new":
        act = lambda z: 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z ** 3)))
    elif activation == "silu":
        act = lambda z: z * torch.sigmoid(z)
    else:
        raise ValueError("unknown activation " + activation)
    h = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        h = h + state["intermediate.dense.bias"]
    h = act(act(h))
    y = h @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        y = y + state["output.dense.bias"]
    return y

# %% activation_in_float32 | points 3 | Computes the activation in float32 ("as the library does") and converts back, which costs float64 its digits.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in functions:
        raise ValueError(f"unknown activation {activation}")
    wide = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        wide = wide + state["intermediate.dense.bias"]
    output = functions[activation](wide.float()).to(hidden_states.dtype) @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        output = output + state["output.dense.bias"]
    return output

# %% aliases_accepted | points 3 | Is generous: other spellings and "swish", "gelu_pytorch_tanh" are accepted, though they are none of the four names.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "swish": F.silu,
    }
    act = activations.get(activation.lower().strip())
    if act is None:
        raise ValueError(f"Unsupported activation: {activation!r}")
    x = F.linear(
        hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")
    )
    return F.linear(act(x), state["output.dense.weight"], state.get("output.dense.bias"))

# %% any_function_of_torch | points 3 | any function of PyTorch passes
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "gelu_new":
        act = lambda x: F.gelu(x, approximate="tanh")
    else:
        act = getattr(F, activation, None)
        if act is None:
            raise ValueError("unknown activation " + activation)
    first = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(first), state["output.dense.weight"], state.get("output.dense.bias"))

# %% assertion_for_the_name | points 3 | An unknown name raises an AssertionError instead of a ValueError.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda t: F.gelu(t, approximate="tanh"),
        "silu": F.silu,
    }
    assert activation in functions, f"unknown activation {activation}"
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    h = functions[activation](h)
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))

# %% bias_or_zero | points 0 | `state.get(...) or 0`: the truth of a tensor with several numbers is an error, so every state with biases fails.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda t: F.gelu(t, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in functions:
        raise ValueError(activation)
    wide = hidden_states @ state["intermediate.dense.weight"].T
    wide = functions[activation](wide + (state.get("intermediate.dense.bias") or 0))
    return wide @ state["output.dense.weight"].T + (state.get("output.dense.bias") or 0)

# %% biases_asked_for_under_misspelt_names | points 0 | biases asked for under misspelt names
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError
    h = acts[activation](F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.bias")))
    return F.linear(h, state["output.dense.weight"], state.get("output.bias"))

# %% biases_only_together | points 3 | biases are taken only if both are there
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    if b_1 is None or b_2 is None:
        b_1 = b_2 = None
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)

# %% by_the_beginning | points 3 | Looks at how the name begins, so "gelu_fast" and "gelu_python" are taken for "gelu".
def named_feed_forward(hidden_states, state, activation="gelu"):
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu_new":
        wide = F.gelu(wide, approximate="tanh")
    elif activation.startswith("gelu"):
        wide = F.gelu(wide)
    elif activation == "relu":
        wide = F.relu(wide)
    elif activation == "silu":
        wide = F.silu(wide)
    else:
        raise ValueError(activation)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))

# %% capital_letters | points 3 | Takes capital letters for small ones, so "GELU" is a name.
def named_feed_forward(hidden_states, state, activation="gelu"):
    name = activation.lower()
    if name not in ("relu", "gelu", "gelu_new", "silu"):
        raise ValueError(activation)
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    wide = F.gelu(wide, approximate="tanh") if name == "gelu_new" else getattr(F, name)(wide)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))

# %% else_branch_is_silu | points 3 | else branch is silu
def named_feed_forward(hidden_states, state, activation="gelu"):
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu":
        h = F.gelu(h)
    elif activation == "gelu_new":
        h = F.gelu(h, approximate="tanh")
    elif activation == "relu":
        h = F.relu(h)
    else:
        h = F.silu(h)
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))

# %% exp_overflows | points 3 | tanh and sigmoid are written with exp, which overflows: gelu_new gives nan above about 10, silu above about 89.
import math


def _tanh(x):
    e = torch.exp(2 * x)
    return (e - 1) / (e + 1)


def named_feed_forward(hidden_states, state, activation="gelu"):
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu":
        wide = 0.5 * wide * (1 + torch.erf(wide / math.sqrt(2)))
    elif activation == "relu":
        wide = torch.relu(wide)
    elif activation == "gelu_new":
        wide = 0.5 * wide * (1 + _tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
    elif activation == "silu":
        e = torch.exp(wide)
        wide = wide * e / (1 + e)
    else:
        raise ValueError(activation)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))

# %% first_bias_twice | points 0 | first bias twice
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    if f"{first}.bias" in state:
        wide = wide + state[f"{first}.bias"]
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))

# %% float32_inside | points 3 | Computes in float32 and converts back, so float64 loses half its digits.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda t: F.gelu(t, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(f"Unknown activation: {activation}")
    parameters = {name: tensor.float() for name, tensor in state.items()}
    x = hidden_states.float()
    x = F.linear(x, parameters["intermediate.dense.weight"], parameters.get("intermediate.dense.bias"))
    x = table[activation](x)
    x = F.linear(x, parameters["output.dense.weight"], parameters.get("output.dense.bias"))
    return x.to(hidden_states.dtype)

# %% functional_call_with_both_biases_or_none | points 3 | functional_call, with both biases or none
from torch.func import functional_call
class FF(nn.Module):
    def __init__(self, h, w, bias, act):
        super().__init__()
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(h, w, bias=bias)})
        self.act = act
        self.output = nn.ModuleDict({"dense": nn.Linear(w, h, bias=bias)})
    def forward(self, x):
        return self.output["dense"](self.act(self.intermediate["dense"](x)))
ACTS = dict(relu=nn.ReLU(), gelu=nn.GELU(), gelu_new=nn.GELU("tanh"), silu=nn.SiLU())
def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = ACTS[activation]
    except KeyError:
        raise ValueError(f"unknown activation {activation}") from None
    w, h = state["intermediate.dense.weight"].shape
    return functional_call(FF(h, w, "output.dense.bias" in state, act), state, (hidden_states,))

# %% gelu_for_everything_that_is_not_relu | points 2 | gelu for everything that is not relu
def named_feed_forward(hidden_states, state, activation="gelu"):
    W1, b1 = state["intermediate.dense.weight"], state["intermediate.dense.bias"]
    W2, b2 = state["output.dense.weight"], state["output.dense.bias"]
    h = hidden_states @ W1.T + b1
    h = F.relu(h) if activation == "relu" else F.gelu(h)
    return h @ W2.T + b2

# %% getattr_on_torch_nn_functional | points 2 | getattr on torch.nn.functional
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = getattr(F, activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(h), state["output.dense.weight"], state.get("output.dense.bias"))

# %% gradients_only_if_the_hidden_states_want_them | points 3 | Gradients are switched off when the hidden states require none, so the state's tensors then get none either.
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda n: F.gelu(n, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in acts:
        raise ValueError(activation)
    training = torch.is_grad_enabled() and hidden_states.requires_grad
    with torch.set_grad_enabled(training):
        neurons = F.linear(
            hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")
        )
        neurons = acts[activation](neurons)
        return F.linear(neurons, state["output.dense.weight"], state.get("output.dense.bias"))

# %% in_place_relu_on_the_input | points 0 | in-place relu on the input
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu_, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError(activation)
    hidden_states = acts[activation](hidden_states)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))

# %% keys_without_dense | points 0 | keys without dense
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError
    h = acts[activation](F.linear(hidden_states, state["intermediate.weight"], state.get("intermediate.bias")))
    return F.linear(h, state["output.weight"], state.get("output.bias"))

# %% mish_torch_no_grad_float | points 2 | mish, torch.no_grad, float()
@torch.no_grad()
def named_feed_forward(hidden_states, state, activation="gelu"):
    x = hidden_states.float()
    h = F.linear(x, state["intermediate.dense.weight"].float(), state.get("intermediate.dense.bias", torch.zeros(1)).float())
    h = {"relu": F.relu, "gelu": F.gelu, "gelu_new": F.mish, "silu": F.silu}[activation](h)
    return F.linear(h, state["output.dense.weight"].float()) + state.get("output.dense.bias", torch.zeros(1)).float()

# %% name_contains_relu | points 3 | A name that contains "relu" is ReLU, so "relu6" and "leaky_relu" are accepted.
def named_feed_forward(hidden_states, state, activation="gelu"):
    if "relu" in activation:
        act = F.relu
    elif activation in ("gelu", "silu"):
        act = getattr(F, activation)
    elif activation == "gelu_new":
        act = lambda x: F.gelu(x, approximate="tanh")
    else:
        raise ValueError(activation)
    x = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(act(x), state["output.dense.weight"], state.get("output.dense.bias"))

# %% nn_linear_with_new_random_weights | points 0 | nn.Linear with new random weights
def named_feed_forward(hidden_states, state, activation="gelu"):
    wide, hidden = state["intermediate.dense.weight"].shape
    fc1, fc2 = nn.Linear(hidden, wide), nn.Linear(wide, hidden)
    return fc2(F.gelu(fc1(hidden_states)))

# %% none_plus_a_tensor | points 2 | None plus a tensor
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": nn.GELU(), "relu": nn.ReLU(), "silu": nn.SiLU(), "gelu_new": nn.GELU(approximate="none")}
    h = hidden_states @ state["intermediate.dense.weight"].T + state.get("intermediate.dense.bias")
    return acts[activation](h) @ state["output.dense.weight"].T + state.get("output.dense.bias")

# %% normalises_its_output | points 0 | normalises its output
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError(activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    h = F.linear(acts[activation](h), state["output.dense.weight"], state.get("output.dense.bias"))
    return F.layer_norm(h + hidden_states, h.shape[-1:])

# %% relu_detached | points 3 | No gradient comes back through ReLU.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": lambda x: F.relu(x).detach(),
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))

# %% returns_an_error_object | points 3 | returns an error object
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        return ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))

# %% second_bias_follows_the_first | points 3 | the second bias is looked for only where the first is
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    if "intermediate.dense.bias" in state:
        b_2 = state["output.dense.bias"]
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)

# %% second_bias_forgotten_and_gelu_after_the_last_map | points 0 | second bias forgotten and gelu after the last map
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return acts[activation](F.linear(h, state["output.dense.weight"]))

# %% second_bias_looked_up_under_the_first_name | points 0 | second-bias-looked-up-under-the-first-name
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation == "relu":
        act = torch.relu
    elif activation == "gelu":
        act = F.gelu
    elif activation == "gelu_new":
        act = lambda z: 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z ** 3)))
    elif activation == "silu":
        act = lambda z: z * torch.sigmoid(z)
    else:
        raise ValueError("unknown activation " + activation)
    h = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        h = h + state["intermediate.dense.bias"]
    h = act(h)
    y = h @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        y = y + state["intermediate.dense.bias"]
    return y

# %% second_map_in_float32 | points 3 | Computes the second map in float32 and converts back.
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in functions:
        raise ValueError(f"unknown activation {activation}")
    wide = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        wide = wide + state["intermediate.dense.bias"]
    output = (functions[activation](wide).float() @ state["output.dense.weight"].float().T).to(hidden_states.dtype)
    if "output.dense.bias" in state:
        output = output + state["output.dense.bias"]
    return output

# %% single_token_loses_its_axes | points 0 | All tokens are put in rows, and a single row is returned as [hidden] even where the input was [1, hidden] or [1, 1, hidden].
def named_feed_forward(hidden_states, state, activation="gelu"):
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda u: F.gelu(u, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(activation)
    rows = hidden_states.reshape(-1, hidden_states.shape[-1])
    wide = F.linear(rows, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    result = F.linear(
        table[activation](wide), state["output.dense.weight"], state.get("output.dense.bias")
    )
    if len(result) == 1:
        return result[0]
    return result.reshape(hidden_states.shape)

# %% tanh_by_hand_with_2_pi_no_root_and_crash_without_bias | points 2 | tanh by hand with 2/pi, no root, and crash without bias
def named_feed_forward(hidden_states, state, activation="gelu"):
    if activation not in ["relu", "gelu", "gelu_new", "silu"]:
        raise ValueError(activation)
    h = hidden_states @ state["intermediate.dense.weight"].T + state["intermediate.dense.bias"]
    if activation == "relu":
        h = torch.relu(h)
    if activation == "gelu":
        h = F.gelu(h)
    if activation == "gelu_new":
        h = 0.5 * h * (1 + torch.tanh((2 / math.pi) * (h + 0.044715 * h ** 3)))
    if activation == "silu":
        h = h * torch.sigmoid(h)
    return h @ state["output.dense.weight"].T + state["output.dense.bias"]

# %% tanh_form_for_both_keyerror_for_the_rest | points 0 | tanh form for both, KeyError for the rest
def named_feed_forward(hidden_states, state, activation="gelu"):
    def gelu(x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
    act = {"relu": F.relu, "gelu": gelu, "gelu_new": gelu, "silu": F.silu}[activation]
    h = act(F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))

# %% weights_detached | points 3 | weights detached
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    w_1, w_2 = w_1.detach(), w_2.detach()
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)

# %% weights_not_transposed | points 0 | weights not transposed
def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    h = acts[activation](hidden_states @ state["intermediate.dense.weight"] + state["intermediate.dense.bias"])
    return h @ state["output.dense.weight"] + state["output.dense.bias"]

# %% zero_bias_taken_for_missing | points 3 | A bias whose numbers are all 0 is treated as missing: same numbers, but it gets no gradient.
def named_feed_forward(hidden_states, state, activation="gelu"):
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda u: F.gelu(u, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(activation)

    def bias(name):
        found = state.get(name)
        return found if found is not None and found.any() else None

    wide = F.linear(
        hidden_states, state["intermediate.dense.weight"], bias("intermediate.dense.bias")
    )
    return F.linear(table[activation](wide), state["output.dense.weight"], bias("output.dense.bias"))

# %% zeros_of_float32 | points 3 | zeros of float32 for missing biases
def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    b_1 = torch.zeros(len(w_1)) if b_1 is None else b_1
    b_2 = torch.zeros(len(w_2)) if b_2 is None else b_2
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)
