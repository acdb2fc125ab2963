# clone and assign
# points: 3

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    allowed = attention_mask > 0
    for s in special_ids:
        allowed = allowed & input_ids.ne(s)
    pick = allowed & chosen.lt(rate)
    out, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    labels[pick] = input_ids[pick]
    out[pick & (action < 0.8)] = mask_id
    swap = pick & (0.8 <= action) & (action < 0.9)
    out[swap] = random_ids[swap]
    return out, labels
