# %% cross_entropy | points 5 | Minus the cross-entropy for the log-probabilities, ranks by a double argsort, settled by a cumulative product from the end.
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    def norm(x):
        x = x - x.mean(-1, keepdim=True)
        return x / torch.sqrt(x.square().mean(-1, keepdim=True) + 1e-5) * norm_weight + norm_bias

    states = torch.stack([norm(state) for state in hidden_states[:-1]] + [hidden_states[-1]])
    logits = F.linear(states, table)
    ids = target_ids.repeat(len(states), 1, 1)
    log_probs = -F.cross_entropy(logits.movedim(-1, 1), ids, reduction="none")
    places = logits.argsort(-1, descending=True).argsort(-1)
    ranks = places.gather(-1, ids.unsqueeze(-1)).squeeze(-1)
    run = (ranks == 0).long().flip(0).cumprod(0).sum(0)
    return log_probs, ranks, len(states) - run

# %% loop_over_depths | points 5 | a loop over the depths, settled from the end
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    log_probs, ranks = [], []
    n = len(hidden_states)
    for i, h in enumerate(hidden_states):
        if i < n - 1:
            h = F.layer_norm(h, (h.shape[-1],), norm_weight, norm_bias)
        logits = h @ table.t()
        lp = F.log_softmax(logits, dim=-1)
        target = target_ids.unsqueeze(-1)
        log_probs.append(lp.gather(-1, target)[..., 0])
        ranks.append((lp > lp.gather(-1, target)).sum(-1))
    ranks = torch.stack(ranks)
    settled = torch.full_like(target_ids, n)
    still = torch.ones_like(target_ids, dtype=torch.bool)
    for i in reversed(range(n)):
        still = still & (ranks[i] == 0)
        settled[still] = i
    return torch.stack(log_probs), ranks, settled

# %% stack_with_where | points 5 | everything at once, ranks by sorting twice
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
