# no type hints, nested function and global constant
# points: 3

ROOT = 0.5
def weights_time_first(query, key):
    def first(x):
        return x.movedim(1, 0)
    return torch.matmul(first(query), first(key).mT).div_(query.shape[-1] ** ROOT).softmax(-1)
