# the most likely word has rank 1
# points: 4

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    log_probs, ranks = [], []
    for i, h in enumerate(hidden_states):
        if i != len(hidden_states) - 1:
            h = F.layer_norm(h, h.shape[-1:], norm_weight, norm_bias, eps=1e-5)
        logits = h @ table.T
        t = target_ids[..., None]
        log_probs.append(logits.log_softmax(-1).gather(-1, t)[..., 0])
        ranks.append((logits >= logits.gather(-1, t)).sum(-1))
    ranks = torch.stack(ranks)
    settled = torch.zeros_like(target_ids)
    for d, r in enumerate(ranks):
        settled = torch.where(r > 1, d + 1, settled)
    return torch.stack(log_probs), ranks, settled
