# Tells padding by the id 0 and never uses attention_mask.
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
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor([0, *special_ids]))
    take = (chosen < rate) & ~special
    labels = torch.where(take, input_ids, torch.full_like(input_ids, -100))
    ids = torch.where(take & (action < 0.8), torch.full_like(input_ids, mask_id), input_ids)
    ids = torch.where(take & (action >= 0.8) & (action < 0.9), random_ids, ids)
    return ids, labels
