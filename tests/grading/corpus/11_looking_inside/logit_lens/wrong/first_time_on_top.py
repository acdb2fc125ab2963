# settled is the first depth on top
# points: 4

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    states = [F.layer_norm(h, norm_weight.shape, norm_weight, norm_bias, 1e-5) for h in hidden_states[:-1]]
    states = torch.stack(states + [hidden_states[-1]])
    logits = states @ table.T
    idx = target_ids.unsqueeze(0).unsqueeze(-1).expand(len(states), -1, -1, 1)
    log_probs = logits.log_softmax(-1).gather(-1, idx).squeeze(-1)
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    settled = torch.full_like(target_ids, len(states))
    for b in range(target_ids.shape[0]):
        for t in range(target_ids.shape[1]):
            for d in range(len(states)):
                if ranks[d, b, t] == 0:
                    settled[b, t] = d
                    break
    return log_probs, ranks, settled
