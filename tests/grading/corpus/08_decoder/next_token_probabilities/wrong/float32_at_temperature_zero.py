# at temperature 0 the result is always float32
# points: 3
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.shape[-1]
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).float()
    scaled = (logits - logits.detach().amax(-1, keepdim=True)) / temperature
    if top_k is not None and top_k < vocab:
        kth = logits.topk(top_k, dim=-1).values[..., -1:]
        scaled = scaled.masked_fill(logits < kth, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = scaled.detach().sort(dim=-1, descending=True)
        shares = ordered.double().softmax(-1)
        late = shares.cumsum(-1) - shares >= top_p
        cut = torch.zeros_like(late).scatter(-1, order, late)
        scaled = scaled.masked_fill(cut, -math.inf)
    return scaled.softmax(-1)
