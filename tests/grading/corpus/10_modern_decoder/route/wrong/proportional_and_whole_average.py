# The step is proportional to the difference, and the average is rounded down to a whole number.
# points: 3
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
