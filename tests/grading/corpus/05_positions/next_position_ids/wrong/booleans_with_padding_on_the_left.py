# Boolean masks are read as if padding stood on the left alone.
# points: 2
def next_position_ids(attention_mask, new_tokens):
    if attention_mask.dtype == torch.bool:
        left = attention_mask.int().argmax(1, keepdim=True)
        ids = torch.arange(attention_mask.size(1)) - left
        return (ids.clamp(min=0) * attention_mask)[:, -new_tokens:]
    ids = (attention_mask.cumsum(1) - 1).clamp(min=0) * attention_mask
    return ids[:, -new_tokens:]
