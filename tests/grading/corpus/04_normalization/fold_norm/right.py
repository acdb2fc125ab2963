# %% centres_after_too | points 4 | Centres the rows after the norm, too: h has mean 0, so no result changes.
def fold_norm(before, norm, after):
    nb = {k: v - v.mean(0) for k, v in before.items()}
    w = after['weight'] * norm['weight']
    return nb, {'weight': w - w.mean(1, keepdim=True), 'bias': after['weight'] @ norm['bias'] + after.get('bias', 0)}

# %% centring_matrix | points 4 | centring matrix
def fold_norm(before, norm, after):
    n = norm["weight"].numel()
    C = torch.eye(n, dtype=norm["weight"].dtype) - 1 / n
    first = {k: C @ v for k, v in before.items()}
    w = after["weight"] @ torch.diag(norm["weight"])
    b = torch.einsum("oh,h->o", after["weight"], norm["bias"]) + after.get("bias", 0)
    return first, {"bias": b, "weight": w}

# %% centring_matrix_and_diag | points 4 | centring-matrix-and-diag
def fold_norm(before, norm, after):
    n = before["weight"].size(0)
    C = torch.eye(n, dtype=before["weight"].dtype) - torch.full((n, n), 1 / n, dtype=before["weight"].dtype)
    nb = {k: C @ v for k, v in before.items()}
    na = {"bias": F.linear(norm["bias"], after["weight"], after.get("bias")), "weight": after["weight"] @ torch.diag(norm["weight"])}
    return nb, na

# %% linear | points 4 | linear
import copy
def fold_norm(before, norm, after):
    before, after = copy.deepcopy(before), copy.deepcopy(after)
    after['bias'] = F.linear(norm['bias'], after['weight'], after.get('bias'))
    after['weight'] *= norm['weight'][None]
    before['weight'] -= before['weight'].mean(dim=0, keepdim=True)
    if before.get('bias') is not None:
        before['bias'] -= before['bias'].mean()
    return before, after

# %% loops | points 4 | loops
def fold_norm(before, norm, after):
    n = len(norm['weight'])
    P = torch.eye(n) - 1 / n
    nb = {k: torch.tensordot(P, v, 1) for k, v in before.items()}
    b = torch.zeros(after['weight'].size(0))
    for j in range(n):
        b = b + after['weight'][:, j] * norm['bias'][j]
    if 'bias' in after: b = b + after['bias']
    return nb, {'bias': b, 'weight': torch.einsum('oj,j->oj', after['weight'], norm['weight'])}

# %% loops_in_float64 | points 4 | loops-in-float64
def fold_norm(before, norm, after):
    W = before["weight"].double().clone()
    for j in range(W.size(1)):
        W[:, j] -= W[:, j].sum() / W.size(0)
    nb = {"weight": W.to(before["weight"].dtype)}
    if before.get("bias") is not None:
        b = before["bias"].double()
        nb["bias"] = (b - b.sum() / b.numel()).to(before["bias"].dtype)
    V = torch.stack([after["weight"][:, j] * norm["weight"][j] for j in range(W.size(0))], 1)
    c = sum(after["weight"][:, j] * norm["bias"][j] for j in range(W.size(0)))
    if "bias" in after:
        c = after["bias"] + c
    return [nb, {"weight": V, "bias": c}]

# %% state_dicts | points 4 | state dicts
from collections import OrderedDict
def fold_norm(before, norm, after):
    g, s = norm.values()
    nb = OrderedDict((k, v - v.sum(0) / v.shape[0]) for k, v in before.items())
    na = OrderedDict(weight=nn.Parameter(g * after['weight']), bias=nn.Parameter((after['weight'] * s).sum(1) + (after['bias'] if 'bias' in after else 0)))
    return [nb, na]

# %% through_linear_layers | points 4 | through linear layers
def fold_norm(before, norm, after):
    new_before = dict(before)
    for k in new_before:
        new_before[k] = before[k] - before[k].sum(0, keepdim=True) / before[k].shape[0]
    b = F.linear(norm["bias"], after["weight"], after.get("bias"))
    return new_before, dict(weight=torch.stack([row * norm["weight"] for row in after["weight"]]), bias=b)
