# arange from cached
# points: 0

def next_position_ids(attention_mask, new_tokens):
    T = attention_mask.size(1)
    return torch.arange(T - new_tokens, T).repeat(attention_mask.size(0), 1)
