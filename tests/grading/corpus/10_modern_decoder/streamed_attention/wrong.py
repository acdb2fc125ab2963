# %% a_list_first | points 0 | all blocks are put into a list first
def streamed_attention(query, blocks):
    blocks = list(blocks)
    key = torch.cat([b[0] for b in blocks], dim=2)
    value = torch.cat([b[1] for b in blocks], dim=2)
    masks = [
        torch.ones(query.size(0), 1, query.size(2), b[0].size(2), dtype=torch.bool) if b[2] is None else b[2]
        for b in blocks
    ]
    mask = torch.cat(masks, dim=-1)
    scores = (query @ key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.nan_to_num(scores.softmax(-1)) @ value, scores.logsumexp(-1)

# %% finite_hiding | points 3 | Hides with -10000 instead of -inf: who sees nothing gets a mean of the values and a finite lse; and lse is 0 where it should be -inf.
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

# %% hidden_blocks_passed_over | points 3 | Passes over blocks that are hidden from all, and has no output if every block is.
def streamed_attention(query, blocks):
    output = lse = None
    for key, value, mask in blocks:
        if mask is not None and not mask.any():
            continue
        scores = query @ key.mT / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        part = scores.softmax(-1).nan_to_num(0.0) @ value
        part_lse = scores.logsumexp(-1)
        if output is None:
            output, lse = part, part_lse
            continue
        both = torch.stack([lse, part_lse])
        share = both.softmax(0).nan_to_num(0.0)[..., None]
        output, lse = share[0] * output + share[1] * part, both.logsumexp(0)
    return output, lse

# %% largest_begins_at_0 | points 3 | The largest score begins at 0, so very small scores all become 0.
def streamed_attention(query, blocks):
    b, h, q, d = query.shape
    m = torch.zeros(b, h, q, 1, dtype=query.dtype)
    s = torch.zeros(b, h, q, 1, dtype=query.dtype)
    acc = None
    for key, value, mask in blocks:
        scores = query @ key.mT / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        m_new = torch.maximum(m, scores.max(dim=-1, keepdim=True).values)
        safe = torch.where(torch.isinf(m_new), 0.0, m_new)
        p = torch.exp(scores - safe)
        alpha = torch.exp(m - safe)
        if acc is None:
            acc = torch.zeros(b, h, q, value.shape[-1], dtype=query.dtype)
        acc = acc * alpha + p @ value
        s = s * alpha + p.sum(dim=-1, keepdim=True)
        m = m_new
    output = torch.where(s > 0, acc / s.clamp(min=1e-6), 0.0)
    lse = (m + torch.log(s)).squeeze(-1)
    return output, lse

# %% last_mask_decides | points 3 | Sets queries to zero that see nothing of the last block, whatever they saw before.
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.full_like(query[..., :1], -math.inf)
    total = torch.zeros_like(top)
    result = 0
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result = result * factor + e @ value
        top = new_top
        seen = None if mask is None else mask.any(-1, keepdim=True)
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    if seen is not None:
        output = output * seen
    return output, (top + total.log())[..., 0]

# %% lse_of_0_is_unseen | points 3 | a running log-sum-exp of exactly 0 counts as nothing seen yet
def streamed_attention(query, blocks):
    output, lse = None, None
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        mine = scores.logsumexp(-1)
        part = (scores - mine.masked_fill(mine == -math.inf, 0.0)[..., None]).exp() @ value
        if output is None:
            output, lse = part, mine
            continue
        lse = torch.where(lse == 0, -math.inf, lse)
        both = torch.logaddexp(lse, mine)
        safe = both.masked_fill(both == -math.inf, 0.0)
        output = output * (lse - safe).exp()[..., None] + part * (mine - safe).exp()[..., None]
        lse = both
    return output, lse

# %% lse_without_the_maximum | points 0 | lse is the logarithm of the corrected sum; the maximum isn't added
def streamed_attention(query, blocks):
    m = torch.full(query.shape[:-1], -1e30)
    l = torch.zeros(query.shape[:-1])
    acc = torch.zeros(())
    for k, v, mask in blocks:
        s = query @ k.mT / query.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask, -math.inf)
        new = torch.maximum(m, s.amax(-1))
        c = (m - new).exp()
        p = (s - new[..., None]).exp()
        l = l * c + p.sum(-1)
        acc = acc * c[..., None] + p @ v
        m = new
    return acc / l.clamp(min=1e-30)[..., None], l.log()

# %% mask_loses_its_head_axis | points 3 | Squeezes the axis of one out of the mask, so that its batch is laid over the heads.
def streamed_attention(query, blocks):
    top = query.new_full((*query.shape[:3], 1), -math.inf)
    total, acc = torch.zeros_like(top), 0.0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask.squeeze(1), -math.inf)
        new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        safe = new_top.masked_fill(new_top == -math.inf, 0.0)
        old = torch.exp(top - safe)
        p = torch.exp(scores - safe)
        total = total * old + p.sum(dim=-1, keepdim=True)
        acc = acc * old + p @ value
        top = new_top
    output = acc / total.masked_fill(total == 0, 1.0)
    return output, (top + total.log()).squeeze(-1)

# %% mask_of_an_earlier_block_stays | points 3 | Keeps the mask of the last block that had one, and uses it on a later block of the same size without a mask.
def streamed_attention(query, blocks):
    top = torch.full(query.shape[:-1], -math.inf)
    total = torch.zeros(query.shape[:-1])
    output, visible = 0.0, None
    for key, value, mask in blocks:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            visible = mask.clone()
        if visible is not None and visible.shape[-1] == scores.shape[-1]:
            scores = scores.masked_fill(~visible, -math.inf)
        new = torch.maximum(top, scores.amax(-1))
        safe = new.masked_fill(new == -math.inf, 0.0)
        factor = torch.exp(top - safe)
        weights = torch.exp(scores - safe[..., None])
        total = total * factor + weights.sum(-1)
        output = output * factor[..., None] + weights @ value
        top = new
    output = output / total.masked_fill(total == 0, 1.0)[..., None]
    return output, top + torch.log(total)

# %% maximum_of_nothing_is_0 | points 3 | Replaces a largest score of −∞ by 0 for good: where a query sees nothing of the first block, and then scores around −200, all vanishes.
def streamed_attention(query, blocks):
    largest = torch.full(query.shape[:-1], -math.inf)
    total = torch.zeros(query.shape[:-1])
    weighted = 0.0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(dim=-1))
        new = torch.where(new == -math.inf, 0.0, new)
        factor = (largest - new).exp()
        parts = (scores - new[..., None]).exp()
        total = total * factor + parts.sum(dim=-1)
        weighted = weighted * factor[..., None] + parts @ value
        largest = new
    output = weighted / total.masked_fill(total == 0, 1.0)[..., None]
    return output, largest + total.log()

# %% nan_from_first_block | points 3 | -inf minus -inf for queries that see nothing of the first block; the NaN is replaced by 0 at the end, though they saw something later.
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)
    weighted = 0
    for key, value, mask in blocks:
        scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.max(dim=-1).values)
        correction = torch.exp(largest - new)
        parts = torch.exp(scores - new[..., None])
        total = correction * total + parts.sum(dim=-1)
        weighted = correction[..., None] * weighted + parts @ value
        largest = new
    output = (weighted / total[..., None]).nan_to_num(0.0)
    lse = (largest + torch.log(total)).nan_to_num(-math.inf)
    return output, torch.where(lse.isnan(), -math.inf, lse)

# %% nan_where_nothing_was_seen | points 3 | -inf minus -inf: queries that see nothing of the first block stay NaN
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    m = torch.full(query.shape[:-1] + (1,), float("-inf"))
    l = torch.zeros(query.shape[:-1] + (1,))
    o = 0
    for k, v, mask in blocks:
        s = torch.einsum("bhqd,bhkd->bhqk", query, k) * scale
        if mask is not None:
            s = s.masked_fill(mask == False, float("-inf"))
        m_new = torch.max(m, s.amax(-1, keepdim=True))
        alpha = torch.exp(m - m_new)
        p = torch.exp(s - m_new)
        l = alpha * l + p.sum(-1, keepdim=True)
        o = alpha * o + p @ v
        m = m_new
    return o / l, (m + torch.log(l)).squeeze(-1)

# %% no_correction | points 0 | the sums are never corrected when the maximum rises
def streamed_attention(query, blocks):
    b, h, q, d = query.shape
    m = torch.full((b, h, q), float("-inf"))
    l = torch.zeros(b, h, q)
    acc = None
    for k, v, mask in blocks:
        s = query @ k.transpose(-2, -1) / math.sqrt(d)
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        m = torch.maximum(m, s.max(dim=-1).values)
        m_safe = torch.where(m == float("-inf"), torch.zeros_like(m), m)
        p = torch.exp(s - m_safe[..., None])
        l = l + p.sum(-1)
        acc = p @ v if acc is None else acc + p @ v
    out = torch.where(l[..., None] > 0, acc / l[..., None], torch.zeros_like(acc))
    return out, m + torch.log(l)

# %% no_largest_and_clamped | points 2 | Sums e to the power of the score as it is, and clamps the total, so the lse of nothing is a number.
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    total = torch.zeros(*query.shape[:-1], 1, dtype=query.dtype)
    acc = None
    for key, value, mask in blocks:
        e = torch.einsum("bhqd,bhkd->bhqk", query, key).div(query.size(-1) ** 0.5)
        if mask is not None:
            e = e.masked_fill(~mask, float("-inf"))
        e = e.exp()
        total += e.sum(dim=-1, keepdim=True)
        acc = e @ value if acc is None else acc + e @ value
    total = total.clamp(min=1e-20)
    return acc / total, total.log().squeeze(-1)

# %% no_mask_if_the_first_sees_all | points 3 | Leaves a block's mask out where it hides nothing from the first row of the batch.
def streamed_attention(query, blocks):
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)  # of e^(score - largest)
    weighted = 0.0  # of e^(score - largest) * value
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None and not mask[0].all():
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)  # -inf - -inf would be NaN
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    return output, lse

# %% plain_exponentials | points 3 | e^score without a maximum
def streamed_attention(query, blocks):
    num, den = 0, 0
    for key, value, mask in blocks:
        w = torch.exp(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]))
        if mask is not None:
            w = w * mask
        num = num + w @ value
        den = den + w.sum(-1)
    out = torch.where(den[..., None] > 0, num / den[..., None], torch.zeros_like(num))
    return out, torch.log(den)

# %% seen_in_masked_blocks_only | points 3 | what a query has seen is asked of blocks with a mask only, if there is one
def streamed_attention(query, blocks):
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)
    weighted = 0.0
    anymask = False
    seen = torch.zeros_like(total[:, :1]) > 0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
        seen = seen | (mask.any(-1) if mask is not None else torch.zeros_like(total[:, :1]) > 0)
        anymask = anymask or mask is not None
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    if anymask:
        output, lse = output * seen[..., None], lse.masked_fill(~seen, -math.inf)
    return output, lse

# %% shaped_like_query | points 0 | The weighted sum has the shape of the query, so value_size must equal head_size.
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.full_like(query[..., :1], -math.inf)
    total = torch.zeros_like(top)
    result = torch.zeros_like(query)
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result *= factor
        result += e @ value
        top = new_top
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    return output, (top + total.log())[..., 0]

# %% shift_of_first_block | points 3 | Subtracts the largest score of the first block from all blocks: overflows or underflows where later blocks are far apart from it.
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    shift = None
    total, weighted = 0, 0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        if shift is None:
            shift = scores.amax(dim=-1, keepdim=True)
            shift = torch.where(shift == -math.inf, torch.zeros_like(shift), shift)
        parts = (scores - shift).exp()
        total = total + parts.sum(dim=-1, keepdim=True)
        weighted = weighted + parts @ value
    output = torch.where(total > 0, weighted / total, torch.zeros_like(weighted))
    return output, (total.log() + shift).squeeze(-1)

# %% starts_at_zero_and_breaks | points 2 | The largest score starts at 0 (so -200 underflows), and a block of which nothing is seen ends the loop.
def streamed_attention(query, blocks):
    scale = query.shape[-1] ** -0.5
    top = torch.zeros_like(query[..., :1])
    total = torch.zeros_like(top)
    result = torch.zeros(1)
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * scale
        if mask is not None:
            if not mask.any():
                break
            scores = torch.where(mask, scores, -math.inf)
        new_top = torch.maximum(top, scores.max(-1, keepdim=True).values)
        safe = torch.where(new_top == -math.inf, 0.0, new_top)
        factor = torch.exp(top - safe)
        e = torch.exp(scores - safe)
        total = total * factor + e.sum(-1, keepdim=True)
        result = result * factor + e @ value
        top = new_top
    output = torch.where(total > 0, result / total.clamp(min=1e-30), 0.0)
    return output, (top + total.log()).nan_to_num(neginf=-math.inf)[..., 0]

# %% total_clamped | points 3 | Clamps the total at 1e-9 before both the division and the logarithm, so a query that saw nothing has a finite lse.
def streamed_attention(query: Tensor, blocks) -> tuple[Tensor, Tensor]:
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)
    weighted = 0.0
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(dim=-1))
        shift = new.masked_fill(new == -math.inf, 0.0)
        correction = (largest - shift).exp()
        parts = (scores - shift[..., None]).exp()
        total = total * correction + parts.sum(dim=-1)
        weighted = weighted * correction[..., None] + parts @ value
        largest = new
    total = total.clamp(min=1e-9)
    shift = largest.masked_fill(largest == -math.inf, 0.0)
    return weighted / total[..., None], shift + total.log()

# %% zero_maximum_and_first_texts_mask | points 2 | the running maximum begins at 0; the mask of the first sentence is used for all
def streamed_attention(query, blocks):
    scaled = query / math.sqrt(query.shape[-1])
    top = total = result = None
    for key, value, mask in blocks:
        scores = scaled @ key.transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(~mask[:1], -math.inf)
        if top is None:
            top = torch.zeros_like(scores[..., :1])
            total = torch.zeros_like(top)
            result = torch.zeros(*query.shape[:3], value.shape[-1])
        new_top = torch.maximum(top, scores.amax(-1, keepdim=True))
        base = new_top.masked_fill(new_top == -math.inf, 0.0)
        keep = (top - base).exp()
        powers = (scores - base).exp()
        total = total * keep + powers.sum(-1, keepdim=True)
        result = result * keep + powers @ value
        top = new_top
    output = result / total.masked_fill(total == 0, 1.0)
    return output, (top + total.log()).squeeze(-1)
