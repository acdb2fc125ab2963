# Subtracts the mean of a row in place of its maximum, so exp overflows where a row's scores lie far apart.
# points: 2
def weights_time_first(query, key):
    scores = torch.einsum("ibd,jbd->bij", query, key) / math.sqrt(query.size(-1))
    exponentials = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
