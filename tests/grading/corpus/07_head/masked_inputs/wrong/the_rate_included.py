# the rate included
# points: 2

def masked_inputs(
    input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15
):
    take = (chosen <= rate) & attention_mask.bool()
    take &= ~torch.isin(input_ids, torch.tensor(special_ids))
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), torch.where(take, input_ids, -100)
