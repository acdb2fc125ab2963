# loops-over-sentences-and-tokens
# points: 3

def repaired_attention(query, key, value, is_padding):
    out = torch.zeros(query.size(0), query.size(1), value.size(-1), dtype=query.dtype)
    for b in range(query.size(0)):
        real = [j for j in range(key.size(1)) if not bool(is_padding[b, j])]
        if real:
            w = (query[b] @ key[b, real].T / query.size(-1) ** 0.5).softmax(1)
            out[b] = w @ value[b, real]
    return out
