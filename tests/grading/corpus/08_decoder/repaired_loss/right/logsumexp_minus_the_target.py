# logsumexp minus the target
# points: 3

def repaired_loss(logits, input_ids, attention_mask):
    weights = (attention_mask[:, 1:] * attention_mask[:, :-1]).to(logits.dtype)
    z = logits[:, :-1]
    loss = z.logsumexp(-1) - z.gather(-1, input_ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return torch.einsum("bt,bt->", loss, weights) / weights.sum().clamp(min=1.0)
