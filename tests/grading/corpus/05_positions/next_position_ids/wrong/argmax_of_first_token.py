# argmax of first token
# points: 0

def next_position_ids(attention_mask, new_tokens):
    first = attention_mask.int().argmax(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - first).clamp(min=0)[:, -new_tokens:]
