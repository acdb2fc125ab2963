# takes an argument
# points: 0

def telling_input(n):
    return n
