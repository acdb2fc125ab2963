# The count is the number of real tokens less the number of rows, which is wrong for rows of padding only.
# points: 2
def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    targets = input_ids[:, 1:].masked_fill(~counts, -100)
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), targets, ignore_index=-100, reduction="sum"
    )
    return losses / (attention_mask.sum() - len(attention_mask)).clamp(min=1)
