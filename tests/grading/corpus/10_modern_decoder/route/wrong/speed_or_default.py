# `speed or 0.001` turns a speed of 0 into the default.
# points: 3
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
