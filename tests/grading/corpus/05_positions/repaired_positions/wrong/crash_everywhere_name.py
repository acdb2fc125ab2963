# crash everywhere, name
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):
    return embeddings * sqrt(size)
