# Settled is the first depth at which the target is on top, even if it falls again.
# points: 4
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    normed = [F.layer_norm(s, norm_weight.shape, norm_weight, norm_bias) for s in hidden_states[:-1]]
    normed.append(hidden_states[-1])
    log_probs, ranks = [], []
    for state in normed:
        logits = F.linear(state, table)
        target = logits.gather(-1, target_ids.unsqueeze(-1))
        log_probs.append((target - logits.logsumexp(-1, keepdim=True)).squeeze(-1))
        ranks.append((logits > target).sum(dim=-1))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    top = ranks == 0
    settled = torch.where(top[-1], top.int().argmax(dim=0), len(normed))
    return log_probs, ranks, settled
