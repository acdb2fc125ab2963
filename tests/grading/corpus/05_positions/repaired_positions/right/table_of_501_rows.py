# a table with a row for each position that the text promises
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[-1]
    table = torch.zeros(501, d + d % 2)
    place = torch.arange(501.0)[:, None]
    rate = torch.pow(base, -torch.arange(0, d, 2) / d)
    table[:, ::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
    return embeddings * d ** 0.5 + table[:, :d][position_ids]
