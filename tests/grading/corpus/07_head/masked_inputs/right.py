# %% clone_and_assign | points 3 | clone and assign
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

# %% loops | points 3 | loops
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for b in range(input_ids.size(0)):
        for t in range(input_ids.size(1)):
            i = input_ids[b, t].item()
            if attention_mask[b, t] and i not in special_ids and chosen[b, t] < rate:
                labels[b, t] = i
                if action[b, t] < 0.8:
                    ids[b, t] = mask_id
                elif action[b, t] < 0.9:
                    ids[b, t] = random_ids[b, t]
    return ids, labels

# %% masked_fill | points 3 | masked_fill
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    barred = attention_mask == 0
    for s in special_ids:
        barred |= input_ids == s
    take = chosen.masked_fill(barred, 1.0) < rate
    labels = input_ids.masked_fill(~take, -100)
    masked = take * (action < 0.8)
    other = take * (action >= 0.8) * (action < 0.9)
    return input_ids.masked_fill(masked, mask_id) * ~other + random_ids * other, labels
