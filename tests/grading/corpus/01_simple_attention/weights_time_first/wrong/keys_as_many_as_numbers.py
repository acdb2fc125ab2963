# Turns the keys only where they would not fit as they are: as many keys as numbers in each stay unturned.
# points: 0
def weights_time_first(query, key):
    query, key = query.transpose(0, 1), key.transpose(0, 1)
    if query.size(-1) != key.size(-2):
        key = key.transpose(-2, -1)
    return (query @ key / math.sqrt(query.size(-1))).softmax(-1)
