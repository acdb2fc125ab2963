# arange minus padding count, pads negative
# points: 2

def next_position_ids(attention_mask, new_tokens):
    pad = (attention_mask == 0).sum(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - pad)[:, -new_tokens:]
