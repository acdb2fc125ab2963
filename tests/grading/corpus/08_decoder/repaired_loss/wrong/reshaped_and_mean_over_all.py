# two of the bugs are left, reshape and the divisor; the mean of nothing is looked after
# points: 1

def repaired_loss(logits: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:

    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, reduction="none"
    )
    losses = losses * counts
    return losses.mean() if losses.numel() > 0 else losses.sum()
