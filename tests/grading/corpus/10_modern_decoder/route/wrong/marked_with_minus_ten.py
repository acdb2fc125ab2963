# Takes the largest again and again and marks what was chosen with -10, which negative sums are below.
# points: 0
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
