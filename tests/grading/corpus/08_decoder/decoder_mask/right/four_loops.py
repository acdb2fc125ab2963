# four loops
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    out = []
    for row in rows:
        seen = []
        for place in range(keys - queries, keys):
            first = 0 if window is None else max(0, place + 1 - window)
            seen.append([first <= k <= place and bool(row[k]) for k in range(keys)])
        out.append([seen])
    return torch.tensor(out)
