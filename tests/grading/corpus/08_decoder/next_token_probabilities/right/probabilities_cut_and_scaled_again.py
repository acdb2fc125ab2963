# probabilities cut and scaled again
# points: 4

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
    probs, order = torch.softmax(logits / temperature, -1).sort(dim=-1, descending=True)
    keep = torch.ones_like(probs)
    if top_k is not None:
        keep[..., top_k:] = 0
    probs = probs * keep
    probs = probs / probs.sum(-1, keepdim=True)
    if top_p is not None:
        keep = (probs.cumsum(-1) - probs < top_p).to(probs.dtype)
        probs = probs * keep
        probs = probs / probs.sum(-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, order, probs)
