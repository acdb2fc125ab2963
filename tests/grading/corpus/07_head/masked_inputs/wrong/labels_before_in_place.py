# labels before, in place
# points: 0

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    labels = input_ids.clone()
    take = (chosen < rate) & attention_mask.bool()
    for s in special_ids:
        take &= input_ids != s
    labels[~take] = -100
    input_ids[take & (action < 0.8)] = mask_id
    other = take & (action >= 0.8) & (action < 0.9)
    input_ids[other] = random_ids[other]
    return input_ids, labels
