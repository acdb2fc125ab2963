# varargs
# points: 3

def weights_time_first(*args):
    q, k = (a.transpose(0, 1) for a in args)
    return (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
