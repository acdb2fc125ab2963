# bincount does not know how many experts there are.
# points: 0
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
