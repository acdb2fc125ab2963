# Two bugs are left: the reshape, and the mean over all positions, with padding in the sum.
# points: 1
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    losses = F.cross_entropy(shifted.reshape(batch, vocab, tokens - 1), targets, reduction="none")
    return losses.mean()
