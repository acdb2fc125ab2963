# Asks any(special_ids) to see whether there are special tokens: the list [0] protects nothing.
# points: 2
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.zeros_like(input_ids).bool()
    if any(special_ids):
        special = torch.isin(input_ids, torch.tensor(special_ids))
    picked = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids.masked_fill(~picked, -100)
    changed = input_ids.masked_fill(picked & (action < 0.8), mask_id)
    changed = torch.where(picked & (action >= 0.8) & (action < 0.9), random_ids, changed)
    return changed, labels
