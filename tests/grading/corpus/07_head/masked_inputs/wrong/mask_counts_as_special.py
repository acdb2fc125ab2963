# Tokens that are [MASK] already are never chosen, though the list of special ids doesn't hold them.
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
    never = torch.tensor([*special_ids, mask_id])
    take = (chosen < rate) & attention_mask.bool() & ~torch.isin(input_ids, never)
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    ids = torch.where(take & (action < 0.8), mask_id, ids)
    return ids, labels
