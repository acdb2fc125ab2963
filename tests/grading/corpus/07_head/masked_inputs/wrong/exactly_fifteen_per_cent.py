# Chooses exactly the share `rate` of the real tokens, those with the smallest numbers, instead of comparing each number.
# points: 0
def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.15,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    free = attention_mask.bool() & ~special
    take = torch.zeros_like(free)
    for row in range(len(input_ids)):
        n = round(rate * int(free[row].sum()))
        order = chosen[row].masked_fill(~free[row], 2.0).argsort()
        take[row, order[:n]] = True
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, labels
