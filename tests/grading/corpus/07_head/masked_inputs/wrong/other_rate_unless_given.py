# the rate is 0.2 unless given
# points: 2

def masked_inputs(
    input_ids: Tensor,
    attention_mask: Tensor,
    special_ids: list[int],
    chosen: Tensor,
    action: Tensor,
    random_ids: Tensor,
    mask_id: int,
    rate: float = 0.2,
) -> tuple[Tensor, Tensor]:
    """Inputs and labels for a masked language model, each [batch, tokens]."""
    special = torch.isin(input_ids, torch.tensor(special_ids))
    take = (chosen < rate) & attention_mask.bool() & ~special
    labels = torch.where(take, input_ids, -100)
    ids = torch.where(take & (action < 0.9), random_ids, input_ids)
    return torch.where(take & (action < 0.8), mask_id, ids), labels
