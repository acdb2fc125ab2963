# A mask without a single 1 is taken for no mask.
# points: 3
def induction_score(attention, input_ids, attention_mask=None):
    """The induction score of each head, [layers, heads], and that of an even head."""
    tokens = input_ids.size(1)
    real = torch.ones_like(input_ids) if attention_mask is None or not attention_mask.any() else attention_mask
    real = real != 0
    key = torch.arange(tokens)
    query = key[:, None]
    same = input_ids[:, :, None] == input_ids[:, None, :]  # [batch, query, key]
    same = same & real[:, :, None] & real[:, None, :]
    follows = F.pad(same[:, :, :-1], (1, 0))  # the token before this key is the query's
    target = follows & (key < query)
    counts = target.any(dim=-1)  # [batch, query]
    number = counts.sum().clamp(min=1)
    values = (attention * target[:, None]).sum(dim=-1)  # [layers, batch, heads, query]
    score = (values * counts[:, None]).sum(dim=(1, 3)) / number
    seen = real[:, None, :] & (key <= query)
    even = target.sum(dim=-1) / seen.sum(dim=-1).clamp(min=1)
    chance = (even * counts).sum() / number
    return score, float(chance)
