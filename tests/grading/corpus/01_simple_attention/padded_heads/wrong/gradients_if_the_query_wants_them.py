# Gradients are recorded only if the query wants one, so keys and values alone get none.
# points: 0
def attend(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask[:, None, None, :] == 1
        empty = ~keep.any(-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
        return scores.softmax(-1).masked_fill(empty, 0.0) @ value
    return scores.softmax(-1) @ value

def padded_heads(query, key, value, attention_mask=None):
    with torch.set_grad_enabled(query.requires_grad):
        return attend(query, key, value, attention_mask)
