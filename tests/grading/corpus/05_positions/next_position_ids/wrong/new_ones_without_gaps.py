# Counts the new tokens from the first real one on, padding between them included.
# points: 2

def next_position_ids(attention_mask, new_tokens):
    mask = attention_mask.long()
    before = mask[:, : mask.size(1) - new_tokens].sum(dim=1, keepdim=True)
    new = mask[:, -new_tokens:]
    first = new.argmax(dim=1, keepdim=True)
    return (before + torch.arange(new_tokens) - first) * new
