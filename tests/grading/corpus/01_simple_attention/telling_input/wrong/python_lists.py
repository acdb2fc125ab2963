# python lists
# points: 0

def telling_input():
    return [[1., 0.]], [[1., 0.]], [[1.]]
