# labels of the changed ids
# points: 0

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    ids = input_ids.clone()
    ids[take & (action < 0.8)] = mask_id
    keep = take & (action >= 0.8) & (action < 0.9)
    ids[keep] = random_ids[keep]
    labels = ids.clone()
    labels[~take] = -100
    return ids, labels
