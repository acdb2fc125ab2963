# Goes through the new tokens and stops at the first padding, as if only padding could follow.
# points: 2
def next_position_ids(attention_mask, new_tokens):
    result = torch.zeros(len(attention_mask), new_tokens, dtype=torch.long)
    cached = attention_mask.shape[1] - new_tokens
    for row, mask in enumerate(attention_mask.tolist()):
        count = sum(1 for m in mask[:cached] if m)
        for column, m in enumerate(mask[cached:]):
            if not m:
                break
            result[row, column] = count
            count += 1
    return result
