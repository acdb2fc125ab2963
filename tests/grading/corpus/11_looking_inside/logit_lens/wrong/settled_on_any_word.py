# Settled is the depth from which on the top word stays what it is at the last depth, whether it is the target or not.
# points: 4
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    depths = len(hidden_states)
    states = [F.layer_norm(s, s.shape[-1:], norm_weight, norm_bias, 1e-5) for s in hidden_states[:-1]]
    logits = torch.stack(states + [hidden_states[-1]]) @ table.T
    index = target_ids.expand(depths, *target_ids.shape).unsqueeze(-1)
    log_probs = logits.log_softmax(-1).gather(-1, index).squeeze(-1)
    ranks = (logits > logits.gather(-1, index)).sum(-1)
    top = logits.argmax(-1)
    run = (top == top[-1]).long().flip(0).cumprod(0).sum(0)
    return log_probs, ranks, depths - run
