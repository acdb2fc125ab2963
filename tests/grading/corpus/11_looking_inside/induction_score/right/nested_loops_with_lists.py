# nested loops with lists
# points: 4

def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, n, _ = attention.shape
    vals, evens = [], []
    for b in range(batch):
        for t in range(n):
            if attention_mask is not None and attention_mask[b, t] == 0:
                continue
            targets = []
            for s in range(t):
                if attention_mask is not None and attention_mask[b, s] == 0:
                    continue
                if input_ids[b, s] == input_ids[b, t] and s + 1 < t:
                    targets.append(s + 1)
            if not targets:
                continue
            vals.append(sum(attention[:, b, :, t, k] for k in targets))
            if attention_mask is None:
                visible = t + 1
            else:
                visible = int(attention_mask[b, : t + 1].sum())
            evens.append(len(targets) / visible)
    if not vals:
        return torch.zeros(layers, heads), 0.0
    return torch.stack(vals).mean(dim=0), sum(evens) / len(evens)
