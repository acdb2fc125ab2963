# Draws its own random numbers as the collator of Hugging Face does, and ignores those that are given.
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
    inputs = input_ids.clone()
    labels = input_ids.clone()
    probability = torch.full(labels.shape, rate)
    special = torch.isin(labels, torch.tensor(special_ids)) | (attention_mask == 0)
    probability.masked_fill_(special, 0.0)
    masked = torch.bernoulli(probability).bool()
    labels[~masked] = -100
    replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked
    inputs[replaced] = mask_id
    random = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked & ~replaced
    inputs[random] = random_ids[random]
    return inputs, labels
