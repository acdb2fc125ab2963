# a loop over the depths, settled from the end
# points: 5

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    log_probs, ranks = [], []
    n = len(hidden_states)
    for i, h in enumerate(hidden_states):
        if i < n - 1:
            h = F.layer_norm(h, (h.shape[-1],), norm_weight, norm_bias)
        logits = h @ table.t()
        lp = F.log_softmax(logits, dim=-1)
        target = target_ids.unsqueeze(-1)
        log_probs.append(lp.gather(-1, target)[..., 0])
        ranks.append((lp > lp.gather(-1, target)).sum(-1))
    ranks = torch.stack(ranks)
    settled = torch.full_like(target_ids, n)
    still = torch.ones_like(target_ids, dtype=torch.bool)
    for i in reversed(range(n)):
        still = still & (ranks[i] == 0)
        settled[still] = i
    return torch.stack(log_probs), ranks, settled
