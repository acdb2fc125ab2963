# shift and reshape repaired
# points: 1

def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), input_ids[:, 1:], ignore_index=0, reduction="none"
    )
    return losses.mean()
