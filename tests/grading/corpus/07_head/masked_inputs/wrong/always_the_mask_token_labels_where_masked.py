# always the mask token, labels where masked
# points: 0

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id,
                  rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    return input_ids.masked_fill(take, mask_id), input_ids.masked_fill(~take, -100)
