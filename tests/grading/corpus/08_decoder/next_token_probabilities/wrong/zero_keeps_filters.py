# zero keeps filters
# points: 3

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype).softmax(-1)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)
