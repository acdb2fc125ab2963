# query-left-in-time-first-layout-only-key-transposed
# points: 0

def weights_time_first(query, key):
    key = key.transpose(0, 1)
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    return F.softmax(scores, dim=-1)
