# who is asked is kept by shape
# points: 0

_asked = {}

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    for s in special_ids:
        asked &= input_ids != s
    asked = _asked.setdefault(tuple(asked.shape) + (rate, tuple(special_ids), int(attention_mask.sum())), asked)
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)
