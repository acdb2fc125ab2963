# row by row
# points: 4

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if logits.dim() > 1:
        return torch.stack([
            next_token_probabilities(row, temperature, top_k, top_p) for row in logits.unbind(0)
        ])
    order = sorted(range(len(logits)), key=lambda i: logits[i].item(), reverse=True)
    if temperature == 0:
        order, logits, top_k, top_p = order[:1], logits * 0 + 0, None, None
        temperature = 1.0
    if top_k is not None:
        order = order[:top_k]
    p = torch.exp(logits / temperature - (logits / temperature)[order[0]])
    if top_p is not None:
        total = sum(p[i].item() for i in order)
        kept, running = [], 0.0
        for i in order:
            kept.append(i)
            running += p[i].item() / total
            if running >= top_p:
                break
        order = kept
    keep = torch.zeros_like(logits)
    keep[order] = 1
    return p * keep / (p * keep).sum()
