# Counts the depths at which the target isn't on top; that is the settled depth only if it never rises too early.
# points: 4
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    log_probs, ranks = [], []
    for d, h in enumerate(hidden_states):
        if d != len(hidden_states) - 1:
            h = F.layer_norm(h, [h.shape[-1]], norm_weight, norm_bias, 1e-5)
        logits = F.linear(h, table)
        own = logits.gather(2, target_ids.unsqueeze(2))
        log_probs.append((own - logits.logsumexp(2, keepdim=True)).squeeze(2))
        ranks.append((logits > own).sum(2))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    settled = (ranks > 0).sum(0)
    settled = torch.where(ranks[-1] > 0, len(hidden_states), settled)
    return log_probs, ranks, settled
