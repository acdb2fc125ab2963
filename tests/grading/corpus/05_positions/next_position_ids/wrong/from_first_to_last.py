# Takes the cached tokens for one run, from the first real one to the last.
# points: 0

def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    cached, new = mask[:, :-new_tokens], mask[:, -new_tokens:]
    counts = []
    for row in cached.tolist():
        places = [i for i, one in enumerate(row) if one]
        counts.append(places[-1] - places[0] + 1 if places else 0)
    ids = torch.tensor(counts)[:, None] + new.cumsum(dim=1) - 1
    return ids.masked_fill(new == 0, 0)
