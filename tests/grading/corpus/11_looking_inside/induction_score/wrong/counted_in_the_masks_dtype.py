# Counts the real tokens in the dtype of the mask, which overflows in texts of more than 127 tokens if that is int8.
# points: 3
def induction_score(attention, input_ids, attention_mask=None):
    layers, batch, heads, tokens, _ = attention.shape
    if attention_mask is None:
        attention_mask = torch.ones_like(input_ids)
    real = attention_mask != 0
    same = (input_ids[:, :, None] == input_ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    target = torch.zeros_like(same)
    target[:, :, 1:] = same[:, :, :-1]
    target = target & torch.ones(tokens, tokens, dtype=torch.bool).tril(-1)
    counted = target.any(dim=-1)
    if not counted.any():
        return torch.zeros(layers, heads), 0.0
    values = attention.masked_fill(~target[None, :, None], 0.0).sum(dim=-1)
    values = values.permute(0, 2, 1, 3)[:, :, counted]
    seen = attention_mask.cumsum(dim=1, dtype=attention_mask.dtype)
    shares = target.sum(dim=-1)[counted] / seen[counted]
    return values.mean(dim=-1), shares.mean().item()
