# crash everywhere
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids), rotary(key, position_ids)
