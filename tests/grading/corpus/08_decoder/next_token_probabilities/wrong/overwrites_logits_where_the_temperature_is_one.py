# overwrites logits where the temperature is one
# points: 0

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    if temperature != 1:
        logits = logits / temperature
    if top_k is not None:
        t = logits.topk(min(top_k, logits.size(-1))).values[..., -1:]
        logits[logits < t] = -math.inf
    if top_p is not None:
        s, order = logits.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        logits[cut.scatter(-1, order, cut)] = -math.inf
    return logits.softmax(-1)
