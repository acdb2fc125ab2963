# Compares probabilities, of which many are 0 in float32, instead of logits.
# points: 4
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    depths = len(hidden_states)
    logits = []
    for depth, state in enumerate(hidden_states):
        if depth < depths - 1:
            state = F.layer_norm(state, norm_weight.shape, norm_weight, norm_bias)
        logits.append(state @ table.T)
    logits = torch.stack(logits)
    index = target_ids[None, :, :, None].expand(depths, -1, -1, 1)
    target = logits.gather(-1, index)
    log_probs = logits.log_softmax(-1).gather(-1, index)[..., 0]
    probs = logits.softmax(-1)
    ranks = (probs > probs.gather(-1, index)).sum(-1)
    top = logits.argmax(-1) == target_ids
    settled = torch.full_like(target_ids, depths)
    for depth in reversed(range(depths)):
        settled = torch.where(top[depth] & (settled == depth + 1), depth, settled)
    return log_probs, ranks, settled
