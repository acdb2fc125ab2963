# `rate or 0.15` turns a rate of 0 into the default.
# points: 2
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
    rate = rate or 0.15
    special = torch.isin(input_ids, torch.tensor(special_ids, dtype=input_ids.dtype))
    take = (chosen < rate) & (attention_mask != 0) & ~special
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, torch.where(take, input_ids, -100)
