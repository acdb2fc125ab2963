# F.pad shift
# points: 3

def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    before = F.pad(m.cumsum(1), (1, 0))[:, :-1]
    return (before * m)[:, m.shape[1] - new_tokens:]
