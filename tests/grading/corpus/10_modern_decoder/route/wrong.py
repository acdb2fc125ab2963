# %% bias_changed_in_place | points 0 | the new bias is written into the old one
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    ids = (scores + bias).sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    w = scores.gather(-1, ids)
    w = w / w.sum(-1, keepdim=True)
    load = torch.bincount(ids.flatten(), minlength=scores.shape[-1]).float()
    with torch.no_grad():
        bias += speed * torch.sign(load.mean() - load)
    return w, ids, bias

# %% bincount_without_length | points 0 | bincount does not know how many experts there are.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and ids of the experts of each token, and the bias for the next step."""
    scores = logits.sigmoid()
    order = (scores + bias).sort(dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten()).to(bias.dtype)
    return weights, expert_ids, bias + speed * (load.mean() - load).sign()

# %% busy_experts_rise | points 3 | the sign of the step is wrong
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    ids = (scores + bias).argsort(dim=-1, descending=True, stable=True)[:, :top_k]
    w = scores.gather(-1, ids)
    load = torch.bincount(ids.view(-1) if ids.is_contiguous() else ids.reshape(-1), minlength=scores.size(-1))
    violation = load.float() - load.float().mean()
    return w / w.sum(-1, keepdim=True), ids, bias + speed * violation.sign()

# %% clamped_sum | points 0 | Guards the division with a clamp to at least 1e-2: the weights of a token with very small scores don't sum to 1.
def route(logits, bias, top_k, speed=0.001):
    scores = torch.sigmoid(logits)
    total = scores + bias
    order = torch.argsort(total, dim=1, descending=True, stable=True)
    expert_ids = order[:, :top_k]
    weights = torch.gather(scores, 1, expert_ids)
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1e-2)
    load = F.one_hot(expert_ids, logits.size(1)).sum((0, 1)).to(bias.dtype)
    new_bias = bias + speed * torch.sign(load.mean() - load)
    return weights, expert_ids, new_bias

# %% copied_from_deepseek | points 0 | Copied from the code of DeepSeek-V3 with its routed_scaling_factor, so the weights do not sum to 1.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and ids of the experts of each token, and the bias for the next step."""
    scores = logits.sigmoid()
    order = (scores + bias).sort(dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / (chosen.sum(dim=-1, keepdim=True) + 1e-20) * 2.5
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(bias.dtype)
    return weights, expert_ids, bias + speed * (load.mean() - load).sign()

# %% load_uint8 | points 3 | Counts the load in uint8, which begins again at 0 after 255.
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    sums = scores + bias
    order = sums.sort(dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(torch.uint8).to(bias.dtype)
    new_bias = bias + speed * (load.mean() - load).sign()
    return weights, expert_ids, new_bias

# %% marked_with_minus_ten | points 0 | Takes the largest again and again and marks what was chosen with -10, which negative sums are below.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and ids of the experts of each token, and the bias for the next step."""
    scores = logits.sigmoid()
    left, places = (scores + bias).detach().clone(), []
    for _ in range(top_k):
        places.append(left.argmax(-1))
        left[torch.arange(len(left)), places[-1]] = -10.0
    expert_ids = torch.stack(places, dim=-1)
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(bias.dtype)
    return weights, expert_ids, bias + speed * (load.mean() - load).sign()

# %% new_bias_centred | points 3 | the mean is taken off the new bias
def route(logits, bias, top_k, speed=0.001):
    tokens, experts = logits.shape
    scores = logits.sigmoid()
    sums = scores + bias
    order = torch.sort(sums, dim=-1, descending=True, stable=True).indices
    expert_ids = order[:, :top_k]
    chosen = scores.gather(1, expert_ids)
    weights = chosen / chosen.sum(-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=experts)
    excess = load * experts - tokens * top_k
    new_bias = bias - speed * excess.sign()
    new_bias = new_bias - new_bias.mean()
    return weights, expert_ids, new_bias

# %% proportional_and_whole_average | points 3 | The step is proportional to the difference, and the average is rounded down to a whole number.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    scores = torch.sigmoid(logits)
    expert_ids = torch.argsort(scores + bias, dim=-1, descending=True, stable=True)[:, :top_k]
    weights = torch.gather(scores, 1, expert_ids)
    weights = weights / weights.sum(dim=1, keepdim=True)
    experts = logits.shape[1]
    load = torch.bincount(expert_ids.reshape(-1), minlength=experts).float()
    new_bias = bias + speed * (load.sum() // experts - load)
    return weights, expert_ids, new_bias

# %% sentinel_minus_one | points 0 | Looks for the largest sum again and again; what was chosen becomes -1, which sums can be below.
def route(logits, bias, top_k, speed=0.001):
    scores = logits.sigmoid()
    sums = scores + bias
    left, ids = sums.detach().clone(), []
    for _ in range(top_k):
        best = left.max(dim=-1, keepdim=True).values
        ids.append((left == best).int().argmax(dim=-1))
        left[torch.arange(len(left)), ids[-1]] = -1
    expert_ids = torch.stack(ids, dim=1)
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(dim=-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=logits.size(-1)).to(bias.dtype)
    new_bias = bias + speed * (load.mean() - load).sign()
    return weights, expert_ids, new_bias

# %% softmax_like_mixtral | points 0 | a softmax over the experts, then top-k and renormalised, as in the chapter
def route(logits, bias, top_k, speed=0.001):
    probs = F.softmax(logits, dim=-1)
    ids = (probs + bias).sort(dim=-1, descending=True, stable=True).indices[:, :top_k]
    weights = probs.gather(-1, ids)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    load = torch.bincount(ids.flatten(), minlength=probs.shape[-1]).float()
    return weights, ids, bias - speed * (load - load.mean()).sign()

# %% speed_or_default | points 3 | `speed or 0.001` turns a speed of 0 into the default.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and ids of the experts of each token, and the bias for the next step."""
    speed = speed or 0.001
    experts = logits.size(1)
    scores = logits.sigmoid()
    ids, rows = [], []
    for token, sums in enumerate((scores + bias).tolist()):
        chosen = sorted(range(experts), key=lambda e: (-sums[e], e))[:top_k]
        mine = scores[token, chosen]
        rows.append(mine / mine.sum())
        ids.append(chosen)
    expert_ids = torch.tensor(ids)
    load = F.one_hot(expert_ids, experts).sum(dim=(0, 1))
    average = len(ids) * top_k / experts
    new = bias.clone()
    new[load > average] -= speed
    new[load < average] += speed
    return torch.stack(rows), expert_ids, new

# %% ties_by_small_slope | points 0 | Breaks ties by a slope of 0.001 per expert, as large as a step of the bias: sums that differ by little come in the wrong order.
def route(
    logits: Tensor, bias: Tensor, top_k: int, speed: float = 0.001
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights and ids of the experts of each token, and the bias for the next step."""
    scores = logits.sigmoid()
    experts = logits.size(-1)
    # a little less for each further expert, so that the lower index wins
    preference = scores + bias - 1e-3 * torch.arange(experts)
    expert_ids = preference.topk(top_k, dim=-1).indices
    chosen = scores.gather(-1, expert_ids)
    weights = chosen / chosen.sum(-1, keepdim=True)
    load = torch.bincount(expert_ids.flatten(), minlength=experts).to(bias.dtype)
    return weights, expert_ids, bias + speed * (load.mean() - load).sign()

# %% topk_for_the_choice | points 3 | topk, which takes any of equal sums
def route(logits, bias, top_k, speed=0.001):
    s = logits.sigmoid()
    _, ids = torch.topk(s + bias, top_k, dim=-1)
    w = s.gather(1, ids)
    w = w / w.sum(dim=1, keepdim=True)
    counts = torch.zeros(logits.shape[1]).scatter_add_(0, ids.flatten(), torch.ones(ids.numel()))
    return w, ids, bias + speed * (counts.mean() - counts).sign()

# %% weights_with_the_bias | points 0 | the bias counts for the weights, too
def route(logits, bias, top_k, speed=0.001):
    scores = torch.sigmoid(logits) + bias
    sorted_scores, idx = torch.sort(scores, dim=-1, descending=True, stable=True)
    weights = sorted_scores[:, :top_k]
    ids = idx[:, :top_k]
    weights = weights / weights.sum(-1, keepdim=True)
    load = torch.bincount(ids.reshape(-1), minlength=logits.size(1)).float()
    new_bias = bias + speed * torch.sign(load.mean() - load)
    return weights, ids, new_bias
