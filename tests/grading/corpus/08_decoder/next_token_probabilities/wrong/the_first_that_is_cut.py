# looks for the first logit that is cut, which is not there where k is the vocabulary
# points: 3

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None and top_k <= vocab:
        below = logits.sort(dim=-1, descending=True).values[..., top_k : top_k + 1]
        logits = logits.masked_fill(logits <= below, -math.inf)
    if top_p is not None:
        ordered, order = logits.softmax(-1).sort(dim=-1, descending=True)
        cut = ordered.cumsum(-1) - ordered >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)
