# NaN of an empty sentence is replaced behind the softmax; masked_fill stops what would be NaN in its gradients.
# points: 5
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None, :] == 0, -math.inf)
    return torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0) @ value
