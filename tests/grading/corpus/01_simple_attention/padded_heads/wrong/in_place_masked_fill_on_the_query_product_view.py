# in-place masked_fill_ on the query product view
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = torch.matmul(query, key.mT).div_(query.shape[-1] ** .5)
    if attention_mask is not None:
        s.masked_fill_(attention_mask[:, None, None].eq(0), torch.finfo(s.dtype).min)
    return s.softmax(-1) @ value
