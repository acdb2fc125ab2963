# %% lexicographic_sort_in_numpy_style | points 4 | a stable argsort of the negative sums, one_hot for the load
def route(logits, bias, top_k, speed=0.001):
    probs = torch.sigmoid(logits)
    with torch.no_grad():
        ids = torch.argsort(-(probs + bias), dim=-1, stable=True)[..., :top_k]
        load = F.one_hot(ids, logits.shape[-1]).sum(dim=(0, 1))
        mean = ids.numel() / logits.shape[-1]
        new_bias = bias.clone()
        new_bias[load > mean] -= speed
        new_bias[load < mean] += speed
    picked = torch.gather(probs, 1, ids)
    return picked / picked.sum(1, keepdim=True), ids, new_bias

# %% token_by_token | points 4 | a loop over tokens with sorted() and a key of two parts
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
