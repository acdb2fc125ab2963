# the softmax subtracts the lowest score of a row instead of the highest, so it overflows where a row has -300 and 300
# points: 2
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    powers = torch.exp(scores - scores.amin(dim=-1, keepdim=True).detach())
    return powers / powers.sum(dim=-1, keepdim=True)
