# divides by the losses that are not 0: a perfect prediction is not counted, and nothing at all gives NaN
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum() / ((losses * counts) != 0).sum())
