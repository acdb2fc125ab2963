# the last earlier occurrence only, with a dictionary
# points: 0

def induction_score(attention, input_ids, attention_mask=None):
    L, B, H, T, _ = attention.shape
    total, chance, n = torch.zeros(L, H), 0.0, 0
    for b in range(B):
        last = {}
        seen = 0
        for t in range(T):
            if attention_mask is not None and not attention_mask[b, t]:
                continue
            seen += 1
            tok = input_ids[b, t].item()
            if tok in last and last[tok] + 1 < t:
                total += attention[:, b, :, t, last[tok] + 1]
                chance += 1 / seen
                n += 1
            last[tok] = t
    if n == 0:
        return total, 0.0
    return total / n, chance / n
