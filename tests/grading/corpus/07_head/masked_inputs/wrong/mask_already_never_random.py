# The random words go where [MASK] doesn't stand yet, so a chosen token that was [MASK] before never becomes a random word.
# points: 2
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.isin(input_ids, torch.tensor(special_ids, dtype=input_ids.dtype))
    picked = (chosen < rate) & ~special & (attention_mask == 1)
    labels = input_ids.masked_fill(~picked, -100)
    inputs = input_ids.masked_fill(picked & (action < 0.8), mask_id)
    to_random = picked & (action < 0.9) & (inputs != mask_id)
    inputs = torch.where(to_random, random_ids, inputs)
    return inputs, labels
