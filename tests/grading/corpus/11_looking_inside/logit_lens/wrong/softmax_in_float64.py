# Takes the logarithm of a softmax in float64, which is 0 below about e^-745.
# points: 4
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    depths = len(hidden_states)
    log_probs, ranks = [], []
    for depth, state in enumerate(hidden_states):
        if depth < depths - 1:
            state = F.layer_norm(state, (state.shape[-1],), norm_weight, norm_bias, eps=1e-5)
        logits = state @ table.T
        index = target_ids.unsqueeze(-1)
        own = logits.gather(-1, index)
        log_probs.append(logits.double().softmax(-1).gather(-1, index).squeeze(-1).log().float())
        ranks.append((logits > own).sum(-1))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    top = ranks == 0
    settled = torch.full_like(target_ids, depths)
    for depth in reversed(range(depths)):
        still = top[depth:].all(0)
        settled = torch.where(still, depth, settled)
    return log_probs, ranks, settled
