# only the kept probabilities come back
# points: 0

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        z = z.topk(min(top_k, z.size(-1))).values
    if top_p is not None:
        s = z.sort(-1, descending=True).values
        p = s.softmax(-1)
        z = s.masked_fill(p.cumsum(-1) - p >= top_p, -math.inf)
    return z.softmax(-1)
