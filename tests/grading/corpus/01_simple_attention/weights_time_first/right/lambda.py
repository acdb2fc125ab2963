# lambda
# points: 3

weights_time_first = lambda a, b: (a.transpose(0, 1) @ b.permute(1, 2, 0) / math.sqrt(a.size(-1))).softmax(-1)
