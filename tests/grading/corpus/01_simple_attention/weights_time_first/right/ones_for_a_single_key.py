# For a single key it returns plain ones; the gradients would be zeros, and those may be missing.
# points: 3
def weights_time_first(query, key):
    if key.size(0) == 1:
        return torch.ones(query.size(1), query.size(0), 1, dtype=query.dtype, device=query.device)
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return torch.softmax(scores, dim=-1)
