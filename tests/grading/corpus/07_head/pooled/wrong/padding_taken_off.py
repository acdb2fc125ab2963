# For the mean all vectors are added up and padding is subtracted again: large padding leaves nothing of the digits.
# points: 0

def pooled(hidden_states, attention_mask, kind):
    rows = []
    for states, mask in zip(hidden_states, attention_mask):
        words = states[mask == 1]
        if len(words) == 0:
            rows.append(states[0] * 0)
        elif kind == "mean":
            rows.append((states.sum(0) - states[mask == 0].sum(0)) / len(words))
        elif kind == "max":
            rows.append(words.amax(0))
        else:
            rows.append(words[0 if kind == "first" else -1])
    return torch.stack(rows)
