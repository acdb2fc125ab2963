# Adds -10000 like old BERT: padding wins over scores of -20000, and an all-padding sentence isn't zeros.
# points: 4
def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    if attention_mask is not None:
        extended = (1 - attention_mask[:, None, None, :].to(scores.dtype)) * -10000.0
        scores = scores + extended
    return torch.matmul(F.softmax(scores, dim=-1), value)
