# writes into rows of a boolean mask, which are the argument's own
# points: 3

def decoder_mask(attention_mask: Tensor, queries: int, window: int | None = None) -> Tensor:
    keys = attention_mask.size(1)
    rows = []
    for place in range(keys - queries, keys):
        row = attention_mask.bool()
        row[:, place + 1 :] = False
        if window is not None:
            row[:, : max(0, place + 1 - window)] = False
        rows.append(row)
    return torch.stack(rows, dim=1).unsqueeze(1)
