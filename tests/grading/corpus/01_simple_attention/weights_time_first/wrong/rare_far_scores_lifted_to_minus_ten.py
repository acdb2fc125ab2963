# Lifts scores that lie more than 10 below the row's maximum, so far keys keep a weight of 0.00005 and lose their gradient.
# points: 2
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    below = scores - scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(below.clamp(min=-10.0))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
