# cuts what is less likely than p times the most likely
# points: 3

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    z = logits / temperature
    if top_k is not None:
        k = min(top_k, z.size(-1))
        z = z.masked_fill(z < z.topk(k).values[..., -1:], -math.inf)
    if top_p is not None:
        p = z.softmax(-1)
        z = z.masked_fill(p < top_p * p.amax(-1, keepdim=True), -math.inf)
    return z.softmax(-1)
