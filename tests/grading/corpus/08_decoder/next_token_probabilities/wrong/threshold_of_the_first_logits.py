# the threshold is kept by k and shape
# points: 0

lows = {}
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    z = logits / temperature
    if top_k is not None:
        k = min(top_k, z.size(-1))
        z = z.masked_fill(z < lows.setdefault((k, z.shape, temperature), z.topk(k).values[..., -1:].detach()), -math.inf)
    if top_p is not None:
        p = z.softmax(-1)
        ps, at = p.sort(-1, descending=True)
        late = (ps.cumsum(-1) - ps) >= top_p
        z = z.masked_fill(torch.zeros_like(late).scatter(-1, at, late), -math.inf)
    return z.softmax(-1)
