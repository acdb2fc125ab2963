# -1e9 for hidden scores: a query that sees nothing averages everything
# points: 3

def grouped_attention(query, key, value, attention_mask=None):
    groups = query.shape[2] // key.shape[2]
    k = key.repeat_interleave(groups, dim=2)
    v = value.repeat_interleave(groups, dim=2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, k) / math.sqrt(query.shape[-1])
    Tq, Tk = scores.shape[-2:]
    causal = torch.triu(torch.ones(Tq, Tk, dtype=torch.bool), diagonal=Tk - Tq + 1)
    scores = scores.masked_fill(causal, -1e9)
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -1e9)
    return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v)
