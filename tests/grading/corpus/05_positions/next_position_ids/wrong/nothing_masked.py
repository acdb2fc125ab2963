# nothing masked
# points: 2

def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.long().cumsum(-1) - 1)[:, -new_tokens:]
