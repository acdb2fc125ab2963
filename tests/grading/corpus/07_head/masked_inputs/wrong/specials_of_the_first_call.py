# the special ids of the first call are used for ever
# points: 2

_special = []

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    asked = (chosen < rate) & (attention_mask > 0)
    _special.extend(special_ids if not _special else [])
    for s in _special:
        asked &= input_ids != s
    out = input_ids.clone()
    m, r = asked & (action < 0.8), asked & (action >= 0.8) & (action < 0.9)
    out[m] = mask_id
    out[r] = random_ids[r]
    return out, input_ids.masked_fill(~asked, -100)
