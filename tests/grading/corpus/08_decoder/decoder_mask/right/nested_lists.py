# nested lists
# points: 4

def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    reach = keys if window is None else window
    return torch.tensor([
        [[[bool(row[j]) and i - reach < j <= i for j in range(keys)]
          for i in range(keys - queries, keys)]]
        for row in rows
    ], dtype=torch.bool)
