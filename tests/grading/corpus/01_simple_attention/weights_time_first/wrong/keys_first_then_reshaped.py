# computes [batch, keys, queries] and gets to [batch, queries, keys] with reshape instead of transpose
# points: 0
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    queries, batch, d_k = query.shape
    scores = key.transpose(0, 1) @ query.permute(1, 2, 0) / math.sqrt(d_k)
    weights = F.softmax(scores, dim=1)
    return weights.reshape(batch, queries, key.size(0))
