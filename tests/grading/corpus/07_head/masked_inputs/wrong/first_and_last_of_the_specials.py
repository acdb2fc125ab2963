# leaves the first and the last special id alone, and not those between
# points: 2

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = (input_ids == special_ids[0]) | (input_ids == special_ids[-1])
    take = (chosen < rate) & (attention_mask == 1) & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
