# Minus the cross-entropy for the log-probabilities, ranks by a double argsort, settled by a cumulative product from the end.
# points: 5
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
