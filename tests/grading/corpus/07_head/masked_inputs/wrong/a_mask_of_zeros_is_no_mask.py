# A mask without a single 1 is taken for no mask.
# points: 2
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    real = attention_mask.bool()
    if not real.any():
        real = torch.ones_like(real)
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & real & ~special
    ids = torch.where(take & (action < 0.8), mask_id, torch.where(take & (action < 0.9), random_ids, input_ids))
    return ids.to(input_ids.dtype), torch.where(take, input_ids, -100)
