# Two bugs are left: the vocabulary gets to axis 1 by reshape, and targets of 0 are ignored.
# points: 1

def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    losses = F.cross_entropy(
        logits[:, :-1].reshape(batch, vocab, tokens - 1),
        input_ids[:, 1:],
        ignore_index=0,
        reduction="none",
    )
    counts = counts & (input_ids[:, 1:] != 0)
    return (losses * counts).sum() / counts.sum().clamp(min=1)
