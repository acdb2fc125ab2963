# %% flat_ignore_index | points 3 | flat ignore index
def repaired_loss(logits, input_ids, attention_mask):
    vocab = logits.size(-1)
    m = attention_mask.long()
    labels = input_ids.clone()[:, 1:]
    labels = labels.masked_fill((m[:, 1:] * m[:, :-1]) == 0, -100).flatten()
    total = F.cross_entropy(logits[:, :-1].reshape(-1, vocab), labels, reduction="sum",
                            ignore_index=-100)
    return total / max((labels != -100).sum().item(), 1)

# %% gather_log_softmax | points 3 | gather log softmax
def repaired_loss(logits, input_ids, attention_mask):
    logp = torch.log_softmax(logits, dim=-1)[:, :-1]
    picked = logp.gather(2, input_ids[:, 1:, None]).squeeze(2)
    real = attention_mask.bool()
    ok = real[:, 1:] & real[:, :-1]
    n = int(ok.sum())
    return -torch.where(ok, picked, torch.zeros_like(picked)).sum() / max(n, 1)

# %% labels_of_minus_one_hundred_on_both_conditions | points 3 | labels of minus one hundred on both conditions
def repaired_loss(logits, input_ids, attention_mask):
    real = attention_mask.bool()
    keep = real[:, :-1] & real[:, 1:]
    labels = torch.where(keep, input_ids[:, 1:], -100)
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum"
    )
    return total / max(int(keep.sum()), 1)

# %% logsumexp_minus_the_target | points 3 | logsumexp minus the target
def repaired_loss(logits, input_ids, attention_mask):
    weights = (attention_mask[:, 1:] * attention_mask[:, :-1]).to(logits.dtype)
    z = logits[:, :-1]
    loss = z.logsumexp(-1) - z.gather(-1, input_ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return torch.einsum("bt,bt->", loss, weights) / weights.sum().clamp(min=1.0)

# %% only_the_places_that_count_are_computed | points 3 | only the places that count are computed
def repaired_loss(logits, input_ids, attention_mask):
    m = attention_mask > 0
    b, t = (m[:, 1:] & m[:, :-1]).nonzero(as_tuple=True)
    if len(b) == 0:
        return 0 * logits.sum()
    return F.cross_entropy(logits[b, t], input_ids[b, t + 1])

# %% the_own_mean_of_cross_entropy_empty_replaced | points 3 | the own mean of cross_entropy, empty replaced
def repaired_loss(logits, input_ids, attention_mask):
    both = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    labels = input_ids[:, 1:].masked_fill(~both, -100)
    loss = F.cross_entropy(logits[:, :-1].permute(0, 2, 1), labels)
    return loss if both.any() else torch.zeros_like(loss) * logits.sum()

# %% two_loops | points 3 | two loops
def repaired_loss(logits, input_ids, attention_mask):
    total, n = logits.sum() * 0, 0
    batch, tokens, _ = logits.shape
    for b in range(batch):
        for t in range(tokens - 1):
            if attention_mask[b, t] and attention_mask[b, t + 1]:
                total = total - logits[b, t].log_softmax(0)[input_ids[b, t + 1]]
                n += 1
    return total / n if n else total
