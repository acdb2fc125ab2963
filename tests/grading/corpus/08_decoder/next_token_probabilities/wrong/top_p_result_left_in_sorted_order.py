# top-p result left in sorted order
# points: 3

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        z, order = z.sort(-1, descending=True)
        s = z.softmax(-1)
        z = z.masked_fill(s.cumsum(-1) - s >= top_p, -math.inf)
    return z.softmax(-1)
