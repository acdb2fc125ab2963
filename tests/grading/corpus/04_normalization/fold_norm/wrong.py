# %% axis_found_by_its_length | points 3 | Takes the means along the last axis that is as long as the hidden size: the wrong one if there are as many inputs.
def fold_norm(before, norm, after):
    hidden = norm["weight"].numel()
    def centred(t):
        axis = [i for i, n in enumerate(t.shape) if n == hidden][-1]
        return t - t.mean(axis, keepdim=True)
    new_before = {name: centred(tensor) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% before_bias_centred_by_the_mean_of_weights | points 3 | before-bias-centred-by-the-mean-of-weights
def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["weight"].mean()
    new_after = {}
    new_after["weight"] = after["weight"] * norm["weight"]
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after

# %% before_divided_by_its_deviation | points 3 | before divided by its deviation
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: (tensor - tensor.mean(dim=0)) / tensor.std() for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% before_keepdim_1_bias | points 3 | before keepdim 1 bias
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(-1, keepdim=True) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% before_untouched | points 3 | before untouched
def fold_norm(before, norm, after):
    return before, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% beta_folded_into_before_bias | points 0 | beta folded into before bias
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0), 'bias': before.get('bias', 0) + norm['bias']}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after.get('bias', 0)}

# %% beta_times_gamma | points 0 | beta times gamma
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ (norm['weight'] * norm['bias']) + after.get('bias', 0)}

# %% bias_after_overwritten_weight | points 0 | bias after overwritten weight
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = dict(after)
    na['weight'] = na['weight'] * norm['weight']
    na['bias'] = na.get('bias', 0) + na['weight'] @ norm['bias']
    return nb, na

# %% bias_divided_by_the_gain | points 0 | The norm's bias is divided by the gain before it goes through the new weight, which gives NaN where the gain is 0.
def fold_norm(before, norm, after):
    new_before = {name: tensor - tensor.mean(dim=0, keepdim=True) for name, tensor in before.items()}
    weight = after["weight"] * norm["weight"]
    bias = weight @ (norm["bias"] / norm["weight"])
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}

# %% bias_if_both | points 3 | The bias of the layer after is lost where the layer before has none.
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    b = after["weight"] @ norm["bias"]
    if "bias" in before and "bias" in after:
        b = b + after["bias"]
    return nb, {"weight": after["weight"] * norm["weight"], "bias": b}

# %% bias_lost | points 0 | bias lost
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias']}

# %% bias_mean_over_the_wrong_size | points 3 | The first bias loses its sum divided by the number of inputs, not by the number of hidden numbers.
def fold_norm(before, norm, after):
    hidden, inputs = before["weight"].shape
    new_before = {"weight": before["weight"] - before["weight"].sum(dim=0) / hidden}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].sum() / inputs
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% bias_not_mean_but_zero | points 3 | bias not mean but zero
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    if 'bias' in before: nb['bias'] = torch.zeros_like(before['bias'])
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% bias_popped | points 0 | The bias is taken out of `after` with pop, so the caller's dictionary has lost it.
def fold_norm(before, norm, after):
    new_before = {key: tensor - tensor.mean(dim=0) for key, tensor in before.items()}
    bias = after.pop("bias", torch.zeros(after["weight"].shape[0]))
    new_after = {
        "weight": after["weight"] * norm["weight"],
        "bias": bias + after["weight"] @ norm["bias"],
    }
    return new_before, new_after

# %% centred_behind_the_norm | points 3 | Leaves the layer before as it is, and centres the rows of the weight after, where it changes nothing.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor.clone() for name, tensor in before.items()}
    weight = after["weight"] * norm["weight"]
    weight = weight - weight.mean(dim=1, keepdim=True)
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}

# %% centring_divides_by_in | points 3 | The centring matrix divides by the number of inputs; right only if that is the hidden size.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    hidden, size = before["weight"].shape
    centre = torch.eye(hidden) - torch.ones(hidden, hidden) / size
    new_before = {name: centre @ tensor for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% diag_on_wrong_side | points 0 | diag on wrong side
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': torch.diag(norm['weight']) @ after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% divided_by_the_gain | points 0 | The norm's bias is divided by the gain and sent through the folded weight, which gives NaN or inf where a gain is 0.
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    weight = after["weight"] * norm["weight"]
    bias = weight @ (norm["bias"] / norm["weight"])
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}

# %% double_returned | points 0 | Computes in float64 for the last digits and returns float64 weights.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    before, norm, after = (
        {key: value.double() for key, value in state.items()} for state in (before, norm, after)
    )
    new_before = {key: value - value.mean(dim=0) for key, value in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias += after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% drops_before_bias | points 3 | drops before bias
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(0)}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% first_layer_of_a_size | points 3 | The new weights before the norm are remembered by their shape.
_kept = {}


def fold_norm(before, norm, after):
    new_before = {name: tensor - tensor.mean(0) for name, tensor in before.items()}
    new_before = _kept.setdefault(before["weight"].shape, new_before)
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% gain_folded_into_the_rows_before_the_norm | points 0 | gain-folded-into-the-rows-before-the-norm
def fold_norm(before, norm, after):
    new_before = {}
    new_before["weight"] = before["weight"] - before["weight"].mean(dim=0, keepdim=True)
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    new_before["weight"] = new_before["weight"] * norm["weight"][:, None]
    new_after = {}
    new_after["weight"] = after["weight"].clone()
    shift = after["weight"] @ norm["bias"]
    new_after["bias"] = after["bias"] + shift if "bias" in after else shift
    return new_before, new_after

# %% gain_in_before_not_after | points 0 | gain in before, not after
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    nb['weight'] = nb['weight'] * norm['weight'][:, None]
    return nb, {'weight': after['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% gain_squared | points 0 | gain squared
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    w = after['weight'] * norm['weight'] ** 2
    return nb, {'weight': w, 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% in_place_multiply | points 0 | in place multiply
def fold_norm(before, norm, after):
    b = after['weight'] @ norm['bias'] + after.get('bias', 0)
    after['weight'].mul_(norm['weight'])
    return {k: v - v.mean(0) for k, v in before.items()}, {'weight': after['weight'], 'bias': b}

# %% keyerror_only_after | points 3 | keyerror only after
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after['bias']}

# %% mean_of_each_row | points 3 | Subtracts from the first weight the mean of each row and not of each column.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=1, keepdim=True)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    new_after = {
        "weight": after["weight"] * norm["weight"],
        "bias": after["weight"] @ norm["bias"],
    }
    if "bias" in after:
        new_after["bias"] = new_after["bias"] + after["bias"]
    return new_before, new_after

# %% mean_over_dim_1 | points 3 | mean over dim 1
def fold_norm(before, norm, after):
    nb = {'weight': before['weight'] - before['weight'].mean(1, keepdim=True)}
    if 'bias' in before: nb['bias'] = before['bias'] - before['bias'].mean()
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% merges_linears | points 0 | merges linears
def fold_norm(before, norm, after):
    w = after['weight'] * norm['weight']
    return {'weight': w @ before['weight']}, {'weight': w, 'bias': after['weight'] @ norm['bias']}

# %% no_bias_key_when_none | points 3 | no bias key when none
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    na = {'weight': after['weight'] * norm['weight']}
    if 'bias' in after: na['bias'] = after['bias'] + after['weight'] @ norm['bias']
    return nb, na

# %% no_bias_stays_no_bias | points 3 | If the second layer had no bias its new one is zeros, and W beta is lost.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {"weight": before["weight"] - before["weight"].mean(0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean(0)
    new_after = {"weight": after["weight"] * norm["weight"][None, :]}
    if "bias" in after:
        new_after["bias"] = after["bias"] + F.linear(norm["bias"], after["weight"])
    else:
        new_after["bias"] = torch.zeros_like(after["weight"][:, 0])
    return new_before, new_after

# %% no_centring_bias_plus_folded | points 0 | no centring bias + folded
def fold_norm(before, norm, after):
    nb = dict(before, weight=before['weight'] - before['weight'].mean(0))
    w = after['weight'] * norm['weight']
    return nb, {'weight': w, 'bias': w @ norm['bias'] + after.get('bias', 0)}

# %% no_mean_in_before_bias | points 3 | no mean in before bias
def fold_norm(before, norm, after):
    nb = dict(before)
    nb['weight'] = before['weight'] - before['weight'].mean(0)
    b = after['weight'] @ norm['bias'] + after.get('bias', 0)
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': b}

# %% no_shift_no_centring | points 0 | no shift, no centring
def fold_norm(before, norm, after):
    return before, {**after, 'weight': after['weight'] * norm['weight']}

# %% one_output_squeezed | points 0 | squeeze() on the new weight: with a single output it has one axis only.
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    weight = (after["weight"] @ norm["weight"].diag()).squeeze()
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = after["bias"] + bias
    return new_before, {"weight": weight, "bias": bias}

# %% one_output_without_a_bias | points 3 | squeeze() on the product: with a single output and no bias after the norm, the new bias has no axis.
def fold_norm(before, norm, after):
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    bias = (after["weight"] @ norm["bias"].unsqueeze(1)).squeeze()
    if "bias" in after:
        bias = after["bias"] + bias
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% only_returns_after | points 0 | only returns after
def fold_norm(before, norm, after):
    return {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% rows_centred_before_the_bias_is_read | points 0 | Takes the means out of the second weight's rows first and then uses these for the bias of the norm, whose mean is not 0.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    new_before = {name: tensor - tensor.mean(dim=0) for name, tensor in before.items()}
    rows = after["weight"] - after["weight"].mean(dim=1, keepdim=True)
    bias = rows @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% rows_times_one_number | points 0 | Each row of the weights after the norm is the same number, W2 @ gamma.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor - tensor.mean(dim=0) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": (after["weight"] @ norm["weight"])[:, None] * torch.ones_like(after["weight"]), "bias": bias}

# %% single_input | points 3 | squeeze() on the weight before the norm: with a single input it has one axis only.
def fold_norm(before, norm, after):
    new_before = {}
    for name, tensor in before.items():
        tensor = tensor.squeeze()
        new_before[name] = tensor - tensor.mean(0)
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% standardises_columns | points 3 | standardises columns
def fold_norm(before, norm, after):
    nb = {k: (v - v.mean(0)) / v.std(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% sum_of_beta | points 0 | sum of beta
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': (after['weight'] * norm['bias']).sum() + after.get('bias', 0)}

# %% sum_subtracted | points 3 | sum subtracted
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor - tensor.sum(dim=0) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}

# %% total_mean | points 3 | total mean
def fold_norm(before, norm, after):
    nb = {k: v - v.mean() for k, v in before.items()}
    return nb, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% transposed_after | points 0 | transposed after
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    return nb, {'weight': after['weight'].T * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% usual_rows_of_w2_centred_before_the_gain | points 0 | Takes the row means out of W_2 before it is multiplied by the gain, which changes more than a number per row.
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    new_before = {key: value - value.mean(dim=0) for key, value in before.items()}
    centred = after["weight"] - after["weight"].mean(dim=1, keepdim=True)
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": centred * norm["weight"], "bias": bias}

# %% weights_at_gain | points 0 | weights @ gain
def fold_norm(before, norm, after):
    b = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return {k: v - v.mean(0) for k, v in before.items()}, {"weight": after["weight"] @ norm["weight"], "bias": b}

# %% zero_bias_counts_as_missing | points 3 | Whether there is a bias before the norm is asked with any(): a bias of zeros counts as missing, and new_before lacks the key.
def fold_norm(before, norm, after):
    bias_1 = before.get("bias", torch.zeros(1))
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=0)}
    if bias_1.any():
        new_before["bias"] = bias_1 - bias_1.mean()
    bias_2 = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias_2 = bias_2 + after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias_2}

# %% zero_bias_for_before | points 3 | zero bias for before
def fold_norm(before, norm, after):
    b = before.get('bias', torch.zeros(len(before['weight'])))
    return {'weight': before['weight'] - before['weight'].mean(0), 'bias': b - b.mean()}, {'weight': after['weight'] * norm['weight'], 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}
