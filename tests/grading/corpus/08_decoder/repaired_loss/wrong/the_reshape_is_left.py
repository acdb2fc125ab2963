# the reshape is left
# points: 2

def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].reshape(batch, vocab, tokens - 1)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
