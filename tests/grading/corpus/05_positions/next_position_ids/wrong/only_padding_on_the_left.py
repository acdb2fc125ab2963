# subtracts the padding before the first token
# points: 0

def next_position_ids(attention_mask, new_tokens):
    before = (attention_mask.long().cumsum(1) == 0).sum(1)
    columns = torch.arange(attention_mask.size(1))
    return (columns[None] - before[:, None]).clamp(min=0)[:, -new_tokens:]
