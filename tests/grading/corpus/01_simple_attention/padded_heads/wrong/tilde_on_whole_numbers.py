# ~ on whole numbers is -2 and -1, so masked_fill's condition is true everywhere and everything is hidden.
# points: 0
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    empty = None
    if attention_mask is not None:
        hide = (~attention_mask[:, None, None, :]).bool()
        empty = hide.all(dim=-1, keepdim=True)
        scores = scores.masked_fill(hide & ~empty, float("-inf"))
    weights = scores.softmax(dim=-1)
    if empty is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights @ value
