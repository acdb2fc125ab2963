# one column short
# points: 0

def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:-1]
