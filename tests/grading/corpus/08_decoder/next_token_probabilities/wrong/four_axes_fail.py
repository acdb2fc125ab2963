# Loops over a batch, and over a batch of texts; with more axes in front it finds no rows.
# points: 3
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if logits.dim() == 3:
        rows = [next_token_probabilities(text, temperature, top_k, top_p) for text in logits]
        return torch.stack(rows)
    if logits.dim() == 2:
        return torch.stack([one_row(row, temperature, top_k, top_p) for row in logits])
    return one_row(logits, temperature, top_k, top_p)


def one_row(row, temperature, top_k, top_p):
    if temperature == 0:
        return F.one_hot(row.argmax(), len(row)).to(row.dtype)
    values, order = (row / temperature).sort(descending=True)
    if top_k is not None:
        values, order = values[:top_k], order[:top_k]
    p = values.softmax(0)
    if top_p is not None and top_p < 1:
        stay = int((p.cumsum(0) < top_p).sum()) + 1
        p, order = p[:stay] / p[:stay].sum(), order[:stay]
    return torch.zeros_like(row).scatter(0, order, p)
