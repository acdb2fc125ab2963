# minus a billion, and gather with the inverse order
# points: 4

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.max(-1).indices, logits.size(-1)).type_as(logits)
    s, i = (logits / temperature).sort(descending=True)
    if top_k is not None:
        s = torch.cat([s[..., :top_k], torch.full_like(s[..., top_k:], -1e9)], -1)
    if top_p is not None:
        p = s.softmax(-1)
        before = F.pad(p.cumsum(-1)[..., :-1], (1, 0))
        s = s.masked_fill(before >= top_p, -1e9)
    return s.softmax(-1).gather(-1, i.argsort(-1))
