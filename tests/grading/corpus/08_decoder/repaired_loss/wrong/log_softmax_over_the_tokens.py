# log-softmax over the tokens
# points: 0

def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    logp = logits[:, :-1].log_softmax(1)
    losses = -logp.gather(-1, input_ids[:, 1:, None]).squeeze(-1)
    return (losses * counts).sum() / counts.sum().clamp(min=1)
