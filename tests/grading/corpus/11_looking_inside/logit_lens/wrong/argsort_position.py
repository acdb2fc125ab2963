# argsort is taken for ranks, settled by argmax
# points: 4

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    states = [F.layer_norm(h, norm_weight.shape, norm_weight, norm_bias, 1e-5) for h in hidden_states[:-1]]
    states = torch.stack(states + [hidden_states[-1]])
    logits = states @ table.T
    idx = target_ids.unsqueeze(0).unsqueeze(-1).expand(len(states), -1, -1, 1)
    log_probs = logits.log_softmax(-1).gather(-1, idx).squeeze(-1)
    ranks = logits.argsort(-1, descending=True).gather(-1, idx).squeeze(-1)
    wrong = logits.argmax(-1) != target_ids
    settled = (wrong.long() * torch.arange(1, len(states) + 1)[:, None, None]).max(0).values
    return log_probs, ranks, settled
