# pass
# points: 0

def weights_time_first(query, key):
    pass
