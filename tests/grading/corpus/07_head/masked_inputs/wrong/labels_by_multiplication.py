# multiplies ids by the choice and turns zeros into -100, so a chosen word whose id is 0 has no label
# points: 2
def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    special = torch.zeros_like(input_ids, dtype=torch.bool)
    for special_id in special_ids:
        special |= input_ids == special_id
    picked = (chosen < rate) & (attention_mask == 1) & ~special
    labels = input_ids * picked
    labels = labels.masked_fill(labels == 0, -100)
    masked = picked & (action < 0.8)
    swapped = picked & (action >= 0.8) & (action < 0.9)
    inputs = torch.where(swapped, random_ids, input_ids.masked_fill(masked, mask_id))
    return inputs, labels
