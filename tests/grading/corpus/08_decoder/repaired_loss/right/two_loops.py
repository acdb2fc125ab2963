# two loops
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    total, n = logits.sum() * 0, 0
    batch, tokens, _ = logits.shape
    for b in range(batch):
        for t in range(tokens - 1):
            if attention_mask[b, t] and attention_mask[b, t + 1]:
                total = total - logits[b, t].log_softmax(0)[input_ids[b, t + 1]]
                n += 1
    return total / n if n else total
