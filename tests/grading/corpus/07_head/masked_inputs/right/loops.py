# loops
# points: 3

def masked_inputs(input_ids, attention_mask, special_ids, chosen, action, random_ids, mask_id, rate=0.15):
    ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for b in range(input_ids.size(0)):
        for t in range(input_ids.size(1)):
            i = input_ids[b, t].item()
            if attention_mask[b, t] and i not in special_ids and chosen[b, t] < rate:
                labels[b, t] = i
                if action[b, t] < 0.8:
                    ids[b, t] = mask_id
                elif action[b, t] < 0.9:
                    ids[b, t] = random_ids[b, t]
    return ids, labels
