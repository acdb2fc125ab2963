# %% all_states_normed | points 4 | the last state is normed again
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    x = torch.stack(list(hidden_states))
    x = F.layer_norm(x, x.shape[-1:], norm_weight, norm_bias)
    logits = x @ table.T
    D = logits.shape[0]
    idx = target_ids[None, :, :, None].repeat(D, 1, 1, 1)
    target = logits.gather(-1, idx)
    ranks = (logits > target).sum(-1)
    log_probs = logits.log_softmax(-1).gather(-1, idx).squeeze(-1)
    top = (ranks == 0).int()
    return log_probs, ranks, D - top.flip(0).cumprod(0).sum(0)

# %% argsort_position | points 4 | argsort is taken for ranks, settled by argmax
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

# %% clamped_log | points 4 | clamped_log
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    n = len(hidden_states)
    lps, rks = [], []
    for i, h in enumerate(hidden_states):
        if i < n - 1:
            h = F.layer_norm(h, h.shape[-1:], norm_weight, norm_bias, 1e-5)
        logits = h @ table.T
        lp = logits.softmax(-1).clamp_min(1e-30).log()
        t = lp.gather(-1, target_ids.unsqueeze(-1))
        lps.append(t.squeeze(-1))
        rks.append((lp > t).sum(-1))
    ranks = torch.stack(rks)
    settled = torch.full_like(target_ids, n)
    ok = torch.ones_like(target_ids, dtype=torch.bool)
    for i in range(n - 1, -1, -1):
        ok &= ranks[i] == 0
        settled[ok] = i
    return torch.stack(lps), ranks, settled

# %% counts_depths_not_on_top | points 4 | Counts the depths at which the target isn't on top; that is the settled depth only if it never rises too early.
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    log_probs, ranks = [], []
    for d, h in enumerate(hidden_states):
        if d != len(hidden_states) - 1:
            h = F.layer_norm(h, [h.shape[-1]], norm_weight, norm_bias, 1e-5)
        logits = F.linear(h, table)
        own = logits.gather(2, target_ids.unsqueeze(2))
        log_probs.append((own - logits.logsumexp(2, keepdim=True)).squeeze(2))
        ranks.append((logits > own).sum(2))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    settled = (ranks > 0).sum(0)
    settled = torch.where(ranks[-1] > 0, len(hidden_states), settled)
    return log_probs, ranks, settled

# %% depth_zero_is_falsy | points 4 | Settled is written as `first or depths`, so a target that is the most likely one at all depths (0) gets the number of depths.
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

# %% embeddings_not_normed | points 0 | Takes the embeddings as they are: only what the layers leave behind is normed.
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    norm = lambda x: F.layer_norm(x, x.shape[-1:], norm_weight, norm_bias, 1e-5)
    states = [hidden_states[0]]
    for h in hidden_states[1:-1]:
        states.append(norm(h))
    states.append(hidden_states[-1])  # already normed
    logits = torch.stack(states) @ table.T
    n = len(states)
    idx = target_ids[None, :, :, None].repeat(n, 1, 1, 1)
    log_probs = torch.log_softmax(logits, -1).gather(-1, idx)[..., 0]
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    on_top = (ranks == 0).int()
    # trailing run of ones
    run = on_top.flip(0).cumprod(0).sum(0)
    return log_probs, ranks, n - run

# %% first_time_on_top | points 4 | settled is the first depth on top
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

# %% first_time_on_top_and_gone_again | points 4 | Settled is the first depth at which the target is on top, even if it falls again.
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    normed = [F.layer_norm(s, norm_weight.shape, norm_weight, norm_bias) for s in hidden_states[:-1]]
    normed.append(hidden_states[-1])
    log_probs, ranks = [], []
    for state in normed:
        logits = F.linear(state, table)
        target = logits.gather(-1, target_ids.unsqueeze(-1))
        log_probs.append((target - logits.logsumexp(-1, keepdim=True)).squeeze(-1))
        ranks.append((logits > target).sum(dim=-1))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    top = ranks == 0
    settled = torch.where(top[-1], top.int().argmax(dim=0), len(normed))
    return log_probs, ranks, settled

# %% log_of_probabilities | points 4 | log of softmax
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

# %% log_of_sum_of_exp | points 4 | log(sum(exp(logits))) written out, which is infinite for large logits.
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
    log_probs = (logits.gather(-1, index) - logits.exp().sum(-1, keepdim=True).log())[..., 0]
    ranks = (logits > target).sum(-1)
    top = logits.argmax(-1) == target_ids
    settled = torch.full_like(target_ids, depths)
    for depth in reversed(range(depths)):
        settled = torch.where(top[depth] & (settled == depth + 1), depth, settled)
    return log_probs, ranks, settled

# %% no_norm_at_all | points 0 | without the norm
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    logits = torch.stack(list(hidden_states)) @ table.T
    D = logits.shape[0]
    idx = target_ids[None, :, :, None].repeat(D, 1, 1, 1)
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    log_probs = logits.log_softmax(-1).gather(-1, idx).squeeze(-1)
    top = (ranks == 0).int()
    return log_probs, ranks, D - top.flip(0).cumprod(0).sum(0)

# %% ranks_from_one | points 4 | the most likely word has rank 1
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    log_probs, ranks = [], []
    for i, h in enumerate(hidden_states):
        if i != len(hidden_states) - 1:
            h = F.layer_norm(h, h.shape[-1:], norm_weight, norm_bias, eps=1e-5)
        logits = h @ table.T
        t = target_ids[..., None]
        log_probs.append(logits.log_softmax(-1).gather(-1, t)[..., 0])
        ranks.append((logits >= logits.gather(-1, t)).sum(-1))
    ranks = torch.stack(ranks)
    settled = torch.zeros_like(target_ids)
    for d, r in enumerate(ranks):
        settled = torch.where(r > 1, d + 1, settled)
    return torch.stack(log_probs), ranks, settled

# %% ranks_of_probabilities | points 4 | Compares probabilities, of which many are 0 in float32, instead of logits.
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

# %% settled_last_excluded | points 4 | settled_last_excluded
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    n = len(hidden_states)
    lps, rks = [], []
    for i, h in enumerate(hidden_states):
        if i < n - 1:
            h = F.layer_norm(h, h.shape[-1:], norm_weight, norm_bias, 1e-5)
        logits = h @ table.T
        lp = logits.log_softmax(-1)
        t = lp.gather(-1, target_ids.unsqueeze(-1))
        lps.append(t.squeeze(-1))
        rks.append((lp > t).sum(-1))
    ranks = torch.stack(rks)
    settled = torch.full_like(target_ids, n)
    ok = torch.ones_like(target_ids, dtype=torch.bool)
    for i in range(n - 2, -1, -1):
        ok &= ranks[i] == 0
        settled[ok] = i
    return torch.stack(lps), ranks, settled

# %% settled_on_any_word | points 4 | Settled is the depth from which on the top word stays what it is at the last depth, whether it is the target or not.
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

# %% softmax_in_float64 | points 4 | Takes the logarithm of a softmax in float64, which is 0 below about e^-745.
def logit_lens(hidden_states, norm_weight, norm_bias, table, target_ids):
    depths = len(hidden_states)
    log_probs, ranks = [], []
    for depth, state in enumerate(hidden_states):
        if depth < depths - 1:
            state = F.layer_norm(state, (state.shape[-1],), norm_weight, norm_bias, eps=1e-5)
        logits = state @ table.T
        index = target_ids.unsqueeze(-1)
        own = logits.gather(-1, index)
        log_probs.append(logits.double().softmax(-1).gather(-1, index).squeeze(-1).log().float())
        ranks.append((logits > own).sum(-1))
    log_probs, ranks = torch.stack(log_probs), torch.stack(ranks)
    top = ranks == 0
    settled = torch.full_like(target_ids, depths)
    for depth in reversed(range(depths)):
        still = top[depth:].all(0)
        settled = torch.where(still, depth, settled)
    return log_probs, ranks, settled

# %% targets_shifted | points 0 | Compares each position with the target of the next one, as in a language model's loss; the text says not to shift.
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    # position t predicts token t + 1
    targets = torch.cat([target_ids[:, 1:], target_ids[:, -1:]], dim=1)
    states = [
        F.layer_norm(h, norm_weight.shape, norm_weight, norm_bias, 1e-5) for h in hidden_states[:-1]
    ] + [hidden_states[-1]]
    logits = torch.stack(states) @ table.T
    index = targets.expand(len(states), -1, -1).unsqueeze(-1)
    log_probs = logits.log_softmax(-1).gather(-1, index).squeeze(-1)
    ranks = (logits > logits.gather(-1, index)).sum(-1)
    settled = torch.zeros_like(targets)
    for d in range(len(states)):
        settled[ranks[d] > 0] = d + 1
    return log_probs, ranks, settled
