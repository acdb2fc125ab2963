# one parameter
# points: 0

def weights_time_first(query):
    return query
