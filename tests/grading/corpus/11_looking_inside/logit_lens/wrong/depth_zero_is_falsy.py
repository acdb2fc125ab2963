# Settled is written as `first or depths`, so a target that is the most likely one at all depths (0) gets the number of depths.
# points: 4
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    depths = len(hidden_states)
    log_probs, ranks = [], []
    for depth, state in enumerate(hidden_states):
        if depth < depths - 1:
            state = F.layer_norm(state, state.shape[-1:], norm_weight, norm_bias, 1e-5)
        logits = state @ table.T
        own = logits.gather(-1, target_ids.unsqueeze(-1))
        log_probs.append(logits.log_softmax(-1).gather(-1, target_ids.unsqueeze(-1)).squeeze(-1))
        ranks.append((logits > own).sum(-1))
    ranks = torch.stack(ranks)
    settled = torch.zeros_like(target_ids)
    for b in range(target_ids.shape[0]):
        for t in range(target_ids.shape[1]):
            first = None
            for depth in range(depths):
                if bool((ranks[depth:, b, t] == 0).all()):
                    first = depth
                    break
            settled[b, t] = first or depths
    return torch.stack(log_probs), ranks, settled
