# axis one everywhere
# points: 2

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(1), logits.size(1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(1)), dim=1).values[:, -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(1).sort(1, descending=True)
        cut = s.cumsum(1) - s >= top_p
        z = z.masked_fill(cut.scatter(1, order, cut), -math.inf)
    return z.softmax(1)
