# loop-that-drops-the-padding-keys
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    outs = []
    for b in range(query.size(0)):
        k, v = key[b], value[b]
        if attention_mask is not None:
            keep = attention_mask[b] != 0
            k, v = k[:, keep], v[:, keep]
        if k.size(1) == 0:
            outs.append((query[b].sum(-1, keepdim=True) * 0).expand(-1, -1, v.size(-1)))
            continue
        outs.append(torch.einsum("hqk,hkv->hqv", torch.einsum("hqd,hkd->hqk", query[b], k).div(query.size(-1) ** 0.5).softmax(-1), v))
    return torch.stack(outs)
