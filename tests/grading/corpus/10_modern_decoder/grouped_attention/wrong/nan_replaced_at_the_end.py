# an additive mask of -inf; the NaN is replaced in the output, but not in the gradients
# points: 3

def grouped_attention(query, key, value, attention_mask=None):
    n_rep = query.shape[2] // key.shape[2]
    q = query.transpose(1, 2)
    k = key.transpose(1, 2).repeat_interleave(n_rep, dim=1)
    v = value.transpose(1, 2).repeat_interleave(n_rep, dim=1)
    Tq, Tk = q.shape[2], k.shape[2]
    bias = torch.full((Tq, Tk), float("-inf"), dtype=q.dtype).triu(Tk - Tq + 1)
    if attention_mask is not None:
        pad = torch.zeros(attention_mask.shape, dtype=q.dtype)
        pad = pad.masked_fill(attention_mask == 0, float("-inf"))
        bias = bias + pad[:, None, None, :]
    w = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias, dim=-1)
    out = torch.nan_to_num(w @ v, nan=0.0)
    return out.transpose(1, 2)
