# fill one
# points: 2

def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    p = m.cumsum(-1) - 1
    p.masked_fill_(m == 0, 1)
    return p[:, -new_tokens:]
