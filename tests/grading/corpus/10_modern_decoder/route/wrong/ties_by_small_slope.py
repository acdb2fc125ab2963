# Breaks ties by a slope of 0.001 per expert, as large as a step of the bias: sums that differ by little come in the wrong order.
# points: 0
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
