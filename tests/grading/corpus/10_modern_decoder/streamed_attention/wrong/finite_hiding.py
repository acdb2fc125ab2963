# Hides with -10000 instead of -inf: who sees nothing gets a mean of the values and a finite lse; and lse is 0 where it should be -inf.
# points: 3
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    scale = query.size(-1) ** -0.5
    top = query.new_full((*query.shape[:3], 1), -math.inf)
    total = torch.zeros_like(top)
    acc = None
    for key, value, mask in blocks:
        s = (query @ key.mT) * scale
        if mask is not None:
            s = s.masked_fill(mask.logical_not(), -1e4)
        new_top = torch.maximum(top, s.max(dim=-1, keepdim=True).values)
        safe = torch.where(new_top.isinf(), torch.zeros_like(new_top), new_top)
        p = torch.exp(s - safe)
        old = torch.exp(top - safe)
        total = total * old + p.sum(dim=-1, keepdim=True)
        part = p @ value
        acc = part if acc is None else acc * old + part
        top = new_top
    out = acc / torch.where(total == 0, torch.ones_like(total), total)
    lse = (top + total.log()).squeeze(-1)
    return out, torch.where(lse < -9e3, torch.zeros_like(lse), lse)
