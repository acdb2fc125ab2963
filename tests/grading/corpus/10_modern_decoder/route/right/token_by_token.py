# a loop over tokens with sorted() and a key of two parts
# points: 4

def route(logits, bias, top_k, speed=0.001):
    n, e = logits.shape
    s = logits.sigmoid()
    all_ids, all_w = [], []
    load = [0] * e
    for t in range(n):
        total = s[t] + bias
        ranked = sorted(range(e), key=lambda i: (-float(total[i]), i))
        ids = ranked[:top_k]
        for i in ids:
            load[i] += 1
        w = s[t, ids]
        all_ids.append(ids)
        all_w.append(w / w.sum())
    avg = n * top_k / e
    step = torch.tensor([float((avg > l) - (avg < l)) for l in load])
    return torch.stack(all_w), torch.tensor(all_ids), bias + speed * step
