# sentence by sentence
# points: 3

def repaired_attention(query, key, value, is_padding):
    rows = []
    for q, k, v, p in zip(query, key, value, is_padding):
        k, v = k[~p], v[~p]
        rows.append((q @ k.T / math.sqrt(q.size(1))).softmax(-1) @ v)
    return torch.stack(rows)
