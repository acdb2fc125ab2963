# masked_fill
# points: 3

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    barred = attention_mask == 0
    for s in special_ids:
        barred |= input_ids == s
    take = chosen.masked_fill(barred, 1.0) < rate
    labels = input_ids.masked_fill(~take, -100)
    masked = take * (action < 0.8)
    other = take * (action >= 0.8) * (action < 0.9)
    return input_ids.masked_fill(masked, mask_id) * ~other + random_ids * other, labels
