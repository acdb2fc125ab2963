# only the shift repaired
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0, reduction="none"
    )
    return losses.mean()
