# settled_last_excluded
# points: 4

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    n = len(hidden_states)
    lps, rks = [], []
    for i, h in enumerate(hidden_states):
        if i < n - 1:
            h = F.layer_norm(h, h.shape[-1:], norm_weight, norm_bias, 1e-5)
        logits = h @ table.T
        lp = logits.log_softmax(-1)
        t = lp.gather(-1, target_ids.unsqueeze(-1))
        lps.append(t.squeeze(-1))
        rks.append((lp > t).sum(-1))
    ranks = torch.stack(rks)
    settled = torch.full_like(target_ids, n)
    ok = torch.ones_like(target_ids, dtype=torch.bool)
    for i in range(n - 2, -1, -1):
        ok &= ranks[i] == 0
        settled[ok] = i
    return torch.stack(lps), ranks, settled

