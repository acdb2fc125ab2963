# top-k does not sum to one
# points: 0

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    p = (logits / temperature).softmax(-1)
    if top_k is not None:
        t = p.topk(min(top_k, p.size(-1))).values[..., -1:]
        p = p.masked_fill(p < t, 0)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        p = p.masked_fill(cut.scatter(-1, order, cut), 0)
        p = p / p.sum(-1, keepdim=True)
    return p
