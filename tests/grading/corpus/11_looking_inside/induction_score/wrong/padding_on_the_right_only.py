# Cuts each text to its length from the left, so padding on the left is read as text.
# points: 3
def induction_score(
    attention: Tensor, input_ids: Tensor, attention_mask: Tensor | None = None
) -> tuple[Tensor, float]:
    """The induction score of each head, [layers, heads], and that of an even head."""
    layers, batch, heads, tokens, _ = attention.shape
    total = torch.zeros(layers, heads)
    chance, number = 0.0, 0
    for b in range(batch):
        length = tokens if attention_mask is None else int(attention_mask[b].sum())
        ids = input_ids[b, :length].tolist()
        for t in range(length):
            targets = [s + 1 for s in range(t - 1) if ids[s] == ids[t]]
            if targets:
                number += 1
                total += attention[:, b, :, t, targets].sum(dim=-1)
                chance += len(targets) / (t + 1)
    return total / max(number, 1), chance / max(number, 1)
