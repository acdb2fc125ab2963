# number by number
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[-1]
    columns = []
    for j in range(d):
        a = position_ids.double() / base ** ((j - j % 2) / d)
        columns.append(torch.cos(a) if j % 2 else torch.sin(a))
    return embeddings * d**0.5 + torch.stack(columns, dim=-1).float()
