# padding between two tokens is chosen
# points: 2

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    seen = attention_mask.cumsum(1) > 0
    to_come = attention_mask.flip(1).cumsum(1).flip(1) > 0
    take = (chosen < rate) & seen & to_come & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
