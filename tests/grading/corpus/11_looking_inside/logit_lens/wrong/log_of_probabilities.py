# log of softmax
# points: 4

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    states = [F.layer_norm(h, norm_weight.shape, norm_weight, norm_bias, 1e-5) for h in hidden_states[:-1]]
    states = torch.stack(states + [hidden_states[-1]])
    logits = states @ table.T
    probs = torch.softmax(logits, dim=-1)
    idx = target_ids.unsqueeze(0).unsqueeze(-1).expand(len(states), -1, -1, 1)
    p = probs.gather(-1, idx)
    log_probs = torch.log(p).squeeze(-1)
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    settled = torch.zeros_like(target_ids)
    for d in range(len(states)):
        settled[ranks[d] != 0] = d + 1
    return log_probs, ranks, settled
