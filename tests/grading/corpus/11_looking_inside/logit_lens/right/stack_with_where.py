# everything at once, ranks by sorting twice
# points: 5

def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    x = torch.stack(list(hidden_states))
    mu = x[:-1].mean(-1, keepdim=True)
    var = x[:-1].var(-1, unbiased=False, keepdim=True)
    x = torch.cat([(x[:-1] - mu) / torch.sqrt(var + 1e-5) * norm_weight + norm_bias, x[-1:]])
    logits = torch.einsum("dbth,vh->dbtv", x, table)
    D = logits.shape[0]
    idx = target_ids[None, :, :, None].repeat(D, 1, 1, 1)
    log_probs = (logits - torch.logsumexp(logits, -1, keepdim=True)).gather(-1, idx)[..., 0]
    ranks = logits.sort(dim=-1, descending=True).indices.argsort(-1).gather(-1, idx)[..., 0]
    top = (ranks == 0).int()
    settled = D - top.flip(0).cumprod(0).sum(0)
    return log_probs, ranks, settled
