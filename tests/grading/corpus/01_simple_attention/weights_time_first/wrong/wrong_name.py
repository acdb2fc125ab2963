# wrong name
# points: 0

def weights_batch_first(query, key):
    return query
