# cut first
# points: 0

def next_position_ids(attention_mask, new_tokens):
    m = attention_mask[:, -new_tokens:].long()
    return ((m.cumsum(-1) - 1) * m)
