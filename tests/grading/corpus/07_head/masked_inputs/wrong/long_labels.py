# labels are int64 whatever the ids are
# points: 2

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.full(input_ids.shape, -100)
    labels[take] = input_ids[take].long()
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
