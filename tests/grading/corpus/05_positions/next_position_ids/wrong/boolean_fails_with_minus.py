# boolean fails with minus
# points: 2

def next_position_ids(attention_mask, new_tokens):
    p = attention_mask.cumsum(-1) - 1
    return (p - p * (1 - attention_mask))[:, -new_tokens:]
