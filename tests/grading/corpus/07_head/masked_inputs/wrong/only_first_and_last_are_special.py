# only first and last are special
# points: 2

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    take = (chosen < rate) & (attention_mask == 1)
    take = take & (input_ids != special_ids[0])
    labels = input_ids.masked_fill(~take, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
