# loop
# points: 3

def next_position_ids(attention_mask, new_tokens):
    rows = []
    for row in attention_mask.tolist():
        n, ids = 0, []
        for real in row:
            ids.append(n if real else 0)
            n += int(real)
        rows.append(ids[len(ids) - new_tokens :])
    return torch.tensor(rows, dtype=torch.int64)
