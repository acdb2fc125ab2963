# top-p goes through rows, which one row alone has not
# points: 3

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, vocab)).values[..., -1:], -math.inf)
    if top_p is not None:
        logits = logits.clone()
        shape = logits.shape
        rows = logits.view(-1, shape[-1]) if logits.dim() > 2 else logits
        for n in range(rows.size(0)):
            p, order = rows[n].softmax(0).sort(descending=True)
            cut = p.cumsum(0) - p >= top_p
            rows[n, order[cut]] = -math.inf
        logits = rows.view(shape)
    return logits.softmax(dim=-1)
