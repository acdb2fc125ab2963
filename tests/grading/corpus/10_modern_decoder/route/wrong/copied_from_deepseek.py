# Copied from the code of DeepSeek-V3 with its routed_scaling_factor, so the weights do not sum to 1.
# points: 0
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
