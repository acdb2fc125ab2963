# without the norm
# points: 0

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    logits = torch.stack(list(hidden_states)) @ table.T
    D = logits.shape[0]
    idx = target_ids[None, :, :, None].repeat(D, 1, 1, 1)
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    log_probs = logits.log_softmax(-1).gather(-1, idx).squeeze(-1)
    top = (ranks == 0).int()
    return log_probs, ranks, D - top.flip(0).cumprod(0).sum(0)
