# unsqueeze(-1)
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    hide = torch.arange(tokens) >= lengths.unsqueeze(1)
    return torch.zeros(len(lengths), 1, tokens, 1, dtype=dtype).masked_fill(
        hide.unsqueeze(1).unsqueeze(-1), torch.finfo(dtype).min)
