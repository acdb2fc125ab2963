# top-k by probabilities, which temperatures up to 100 keep apart
# points: 4
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.shape[-1]
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    scaled = (logits - logits.detach().amax(-1, keepdim=True)) / temperature
    if top_k is not None and top_k < vocab:
        shares = scaled.detach().softmax(-1)
        kth = shares.topk(top_k, dim=-1).values[..., -1:]
        scaled = scaled.masked_fill(shares < kth, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = scaled.detach().sort(dim=-1, descending=True)
        shares = ordered.double().softmax(-1)
        late = shares.cumsum(-1) - shares >= top_p
        cut = torch.zeros_like(late).scatter(-1, order, late)
        scaled = scaled.masked_fill(cut, -math.inf)
    return scaled.softmax(-1)
