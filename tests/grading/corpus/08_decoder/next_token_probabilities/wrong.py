# %% a_billionth_for_all | points 3 | Every token gets a billionth, so what is cut is not exactly 0.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    p = logits.softmax(dim=-1) + 1e-9
    return p / p.sum(-1, keepdim=True)

# %% a_large_top_k_fails | points 3 | a large top_k fails
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(top_k).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% a_logit_of_zero_is_cut | points 0 | what is cut becomes 0, and every 0 becomes minus infinity, a logit of 0 that stays as well
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits * (logits >= smallest)
        logits = logits.masked_fill(logits == 0, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% axis_one_everywhere | points 2 | axis one everywhere
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(1), logits.size(1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(1)), dim=1).values[:, -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(1).sort(1, descending=True)
        cut = s.cumsum(1) - s >= top_p
        z = z.masked_fill(cut.scatter(1, order, cut), -math.inf)
    return z.softmax(1)

# %% axis_one_instead_of_the_last | points 2 | Everything runs over axis 1, which is the vocabulary only if there is one axis in front.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        best = logits.argmax(dim=1, keepdim=True)
        return torch.zeros_like(logits).scatter(1, best, 1.0)
    scores = logits / temperature
    if top_k is not None and top_k < logits.shape[1]:
        kth = scores.topk(top_k, dim=1).values[:, -1:]
        scores = scores.masked_fill(scores < kth, -math.inf)
    if top_p is not None and top_p < 1:
        values, order = scores.sort(dim=1, descending=True)
        p = values.softmax(1)
        inside = p.cumsum(1) - p < top_p
        keep = torch.zeros_like(inside).scatter(1, order, inside)
        scores = scores.masked_fill(~keep, -math.inf)
    return scores.softmax(1)

# %% cumsum_over_batch | points 3 | cumsum over batch
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(0) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% cut_before_the_temperature | points 0 | What top-k cuts becomes -1000 before the division: a high temperature brings it back to life.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    vocab = logits.shape[-1]
    order = logits.detach().argsort(dim=-1, descending=True)
    if temperature == 0:
        return torch.zeros_like(logits).scatter(-1, order[..., :1], 1.0)
    ranked = logits.gather(-1, order)
    ranked = ranked - ranked[..., :1].detach()
    if top_k is not None:
        ranked = ranked.masked_fill(torch.arange(vocab) >= top_k, -1000.0)
    scaled = ranked / temperature
    cut = torch.zeros_like(scaled, dtype=torch.bool)
    if top_p is not None and top_p < 1:
        shares = scaled.detach().double().softmax(dim=-1)
        before = shares.cumsum(dim=-1) - shares
        cut = cut | (before >= top_p)
    answer = scaled.masked_fill(cut, -math.inf).softmax(dim=-1)
    return torch.zeros_like(answer).scatter(-1, order, answer)

# %% cut_logits_become_minus_ten | points 0 | cut logits become minus ten
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -10)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -10)
    return z.softmax(-1)

# %% cut_logits_become_zero | points 0 | cut logits become zero
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, 0)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), 0)
    return z.softmax(-1)

# %% cut_lowered_by_fifty | points 3 | What is cut is lowered by 50 instead of removed, so its probability is tiny but not 0.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    scores = logits / temperature
    if top_k is not None and top_k < logits.shape[-1]:
        kth = scores.topk(top_k, dim=-1).values[..., -1:]
        scores = scores - 50.0 * (scores < kth)
    if top_p is not None and top_p < 1:
        values, order = scores.sort(dim=-1, descending=True)
        p = values.softmax(-1)
        inside = p.cumsum(-1) - p < top_p
        keep = torch.zeros_like(inside).scatter(-1, order, inside)
        scores = scores - 50.0 * ~keep
    return scores.softmax(-1)

# %% cuts_what_reaches_p_even_the_first_token | points 3 | cuts what reaches p, even the first token
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) > top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% cuts_what_should_stay | points 0 | cuts what should stay
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None and top_k < vocab:
        smallest = logits.topk(top_k).values[..., -1:]
        logits = logits.masked_fill(logits >= smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% divides_by_zero | points 3 | divides by zero
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% divides_in_place | points 0 | divides in place
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    if not logits.requires_grad:
        logits /= temperature
    else:
        logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        p, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = p.cumsum(-1) - p >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% divides_the_callers_logits | points 0 | divides the caller's logits
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits.detach() if logits.requires_grad else logits
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z /= temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% draws_the_token | points 0 | draws the token
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return logits.argmax(-1)
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return torch.multinomial(z.softmax(-1).view(-1, z.size(-1)), 1)

# %% either_top_k_or_top_p | points 3 | either top-k or top-p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    elif top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% fills_with_zero | points 0 | fills with zero
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, 0.0)
    if top_p is not None:
        p, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = p.cumsum(-1) - p >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), 0.0)
    return logits.softmax(-1)

# %% four_axes_fail | points 3 | Loops over a batch, and over a batch of texts; with more axes in front it finds no rows.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if logits.dim() == 3:
        rows = [next_token_probabilities(text, temperature, top_k, top_p) for text in logits]
        return torch.stack(rows)
    if logits.dim() == 2:
        return torch.stack([one_row(row, temperature, top_k, top_p) for row in logits])
    return one_row(logits, temperature, top_k, top_p)


def one_row(row, temperature, top_k, top_p):
    if temperature == 0:
        return F.one_hot(row.argmax(), len(row)).to(row.dtype)
    values, order = (row / temperature).sort(descending=True)
    if top_k is not None:
        values, order = values[:top_k], order[:top_k]
    p = values.softmax(0)
    if top_p is not None and top_p < 1:
        stay = int((p.cumsum(0) < top_p).sum()) + 1
        p, order = p[:stay] / p[:stay].sum(), order[:stay]
    return torch.zeros_like(row).scatter(0, order, p)

# %% gather_instead_of_scatter | points 3 | gather instead of scatter
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.gather(-1, order), -math.inf)
    return z.softmax(-1)

# %% greedy_below_a_thousandth | points 3 | Temperatures below 0.001 are taken for 0.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature < 1e-3:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% gumbel_softmax | points 0 | gumbel softmax
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return F.gumbel_softmax(logits, tau=temperature or 1e-6, hard=temperature == 0)

# %% k_least_likely | points 0 | the k least likely tokens stay
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab), largest=False).values[..., -1:]
        logits = logits.masked_fill(logits > smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% keeps_k_minus_one | points 0 | keeps k minus one
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z <= t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% log_probabilities | points 0 | log-probabilities
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float().log()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.log_softmax(-1)

# %% marks_not_brought_back | points 3 | marks not brought back
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        z = z.masked_fill(s.cumsum(-1) - s >= top_p, -math.inf)
    return z.softmax(-1)

# %% min_p | points 3 | cuts what is less likely than p times the most likely
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    z = logits / temperature
    if top_k is not None:
        k = min(top_k, z.size(-1))
        z = z.masked_fill(z < z.topk(k).values[..., -1:], -math.inf)
    if top_p is not None:
        p = z.softmax(-1)
        z = z.masked_fill(p < top_p * p.amax(-1, keepdim=True), -math.inf)
    return z.softmax(-1)

# %% minus_one_thousand | points 3 | cut logits are set to -1000
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None:
        values, _ = logits.topk(min(top_k, vocab), dim=-1)
        logits = logits.masked_fill(logits < values[..., -1:], -1e3)
    if top_p is not None:
        sorted_logits, order = logits.sort(dim=-1, descending=True)
        probabilities = sorted_logits.softmax(dim=-1)
        drop = probabilities.cumsum(dim=-1) - probabilities >= top_p
        drop = torch.empty_like(drop).scatter(-1, order, drop)
        logits = logits.masked_fill(drop, -1e3)
    return logits.softmax(dim=-1)

# %% multiplied_by_the_temperature | points 0 | multiplied by the temperature
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits * temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% no_gradient_if_nothing_is_cut | points 0 | Without top-k and top-p the logits are detached, so no gradient reaches them.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    if top_k is None and top_p is None:
        logits = logits.detach()
    return logits.softmax(dim=-1)

# %% one_threshold_for_the_batch | points 0 | one threshold for the batch
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values.min()
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        p, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = p.cumsum(-1) - p >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% one_threshold_for_the_whole_batch | points 0 | one threshold for the whole batch
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.flatten().topk(min(top_k, z.numel())).values[-1]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% only_the_kept_probabilities_come_back | points 0 | only the kept probabilities come back
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        z = z.topk(min(top_k, z.size(-1))).values
    if top_p is not None:
        s = z.sort(-1, descending=True).values
        p = s.softmax(-1)
        z = s.masked_fill(p.cumsum(-1) - p >= top_p, -math.inf)
    return z.softmax(-1)

# %% other_temperature_unless_given | points 0 | the temperature is 0.7 unless given
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 0.7,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% overwrites_logits_where_the_temperature_is_one | points 0 | overwrites logits where the temperature is one
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    if temperature != 1:
        logits = logits / temperature
    if top_k is not None:
        t = logits.topk(min(top_k, logits.size(-1))).values[..., -1:]
        logits[logits < t] = -math.inf
    if top_p is not None:
        s, order = logits.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        logits[cut.scatter(-1, order, cut)] = -math.inf
    return logits.softmax(-1)

# %% probabilities_divided_by_the_temperature | points 0 | probabilities divided by the temperature
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    p = z.softmax(-1) / temperature
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        p = p.masked_fill(cut.scatter(-1, order, cut), 0)
    return p / p.sum(-1, keepdim=True)

# %% rows_of_top_p | points 3 | top-p goes through rows, which one row alone has not
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, vocab)).values[..., -1:], -math.inf)
    if top_p is not None:
        logits = logits.clone()
        shape = logits.shape
        rows = logits.view(-1, shape[-1]) if logits.dim() > 2 else logits
        for n in range(rows.size(0)):
            p, order = rows[n].softmax(0).sort(descending=True)
            cut = p.cumsum(0) - p >= top_p
            rows[n, order[cut]] = -math.inf
        logits = rows.view(shape)
    return logits.softmax(dim=-1)

# %% shift_without_first | points 3 | shift without first
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) > top_p
        cut[..., 1:] = cut[..., :-1].clone()
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% small_temperature_for_zero | points 3 | Temperature 0 becomes 0.05, "practically zero": near rivals keep some probability.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    logits = logits / max(temperature, 0.05)
    vocab = logits.size(-1)
    if top_k is not None:
        rank = logits.argsort(dim=-1, descending=True).argsort(dim=-1)
        logits = logits.masked_fill(rank >= top_k, -math.inf)
    if top_p is not None:
        p = logits.softmax(dim=-1)
        larger = p[..., None, :] > p[..., :, None]
        before = (p[..., None, :] * larger).sum(dim=-1)
        logits = logits.masked_fill(before >= top_p, -math.inf)
    return logits.softmax(dim=-1)

# %% softmax_over_the_batch | points 0 | the softmax runs over axis 0
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=0)

# %% softmax_twice | points 0 | softmax twice
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = (logits / temperature).softmax(-1)
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% squeezed | points 0 | axes of length 1 are squeezed, so that a batch of one is none
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1).squeeze()

# %% temperature_floor | points 3 | The temperature is raised to at least 0.00001 against a division by 0: wrong at 0 (close logits) and at 0.000001.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    logits = logits / max(temperature, 1e-5)
    order = logits.argsort(dim=-1, descending=True)
    rank = order.argsort(dim=-1)
    if top_k is not None:
        logits = logits.masked_fill(rank >= top_k, -math.inf)
    if top_p is not None and top_p < 1:
        probabilities = logits.softmax(dim=-1).gather(-1, order)
        before = F.pad(probabilities.cumsum(dim=-1)[..., :-1], (1, 0))
        logits = logits.masked_fill(before.gather(-1, rank) >= top_p, -math.inf)
    return logits.softmax(dim=-1)

# %% temperature_forgotten | points 0 | temperature forgotten
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% temperature_last_of_all | points 3 | temperature last of all
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return (z / temperature).softmax(-1)

# %% temperature_of_a_tenth_instead_of_zero | points 3 | temperature of a tenth instead of zero
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / max(temperature, 0.1)
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% temperature_twice | points 0 | temperature twice
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return (logits / temperature).softmax(-1)

# %% temperature_zero_counts_as_none | points 3 | temperature zero counts as none
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits
    if temperature:
        z = z / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% temperature_zero_gives_integers | points 3 | temperature zero gives integers
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1))
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% temperature_zero_gives_the_index | points 3 | temperature zero gives the index
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return logits.argmax(-1)
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% the_first_that_is_cut | points 3 | looks for the first logit that is cut, which is not there where k is the vocabulary
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits)
    logits = logits / temperature
    if top_k is not None and top_k <= vocab:
        below = logits.sort(dim=-1, descending=True).values[..., top_k : top_k + 1]
        logits = logits.masked_fill(logits <= below, -math.inf)
    if top_p is not None:
        ordered, order = logits.softmax(-1).sort(dim=-1, descending=True)
        cut = ordered.cumsum(-1) - ordered >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% the_least_likely_tokens_of_top_p | points 3 | the least likely tokens of top-p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% the_logits_of_what_is_left | points 0 | the logits of what is left
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z

# %% the_token_that_reaches_p_is_cut | points 3 | the token that reaches p is cut
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) > top_p
        cut[..., 0] = False
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% threshold_of_the_first_logits | points 0 | the threshold is kept by k and shape
lows = {}
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    z = logits / temperature
    if top_k is not None:
        k = min(top_k, z.size(-1))
        z = z.masked_fill(z < lows.setdefault((k, z.shape, temperature), z.topk(k).values[..., -1:].detach()), -math.inf)
    if top_p is not None:
        p = z.softmax(-1)
        ps, at = p.sort(-1, descending=True)
        late = (ps.cumsum(-1) - ps) >= top_p
        z = z.masked_fill(torch.zeros_like(late).scatter(-1, at, late), -math.inf)
    return z.softmax(-1)

# %% top_k_clamped_to_vocab_minus_one | points 3 | top k clamped to vocab minus one
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab - 1)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% top_k_does_not_sum_to_one | points 0 | top-k does not sum to one
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    p = (logits / temperature).softmax(-1)
    if top_k is not None:
        t = p.topk(min(top_k, p.size(-1))).values[..., -1:]
        p = p.masked_fill(p < t, 0)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        p = p.masked_fill(cut.scatter(-1, order, cut), 0)
        p = p / p.sum(-1, keepdim=True)
    return p

# %% top_k_never_cuts_a_single_token | points 3 | Top-k cuts nothing if it would cut a single token.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None and top_k < vocab - 1 or top_k == 1:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% top_p_as_a_least_probability | points 3 | top-p as a least probability
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    p = z.softmax(-1)
    if top_p is not None:
        p = torch.where((p >= top_p) | (p == p.amax(-1, keepdim=True)), p, 0.0)
    return p / p.sum(-1, keepdim=True)

# %% top_p_before_top_k | points 3 | top-p before top-k
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    return z.softmax(-1)

# %% top_p_does_not_sum_to_one | points 3 | top-p does not sum to one
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    p = z.softmax(-1)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        p = p.masked_fill(cut.scatter(-1, order, cut), 0)
    return p

# %% top_p_forgotten | points 3 | top-p forgotten
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    return z.softmax(-1)

# %% top_p_keeps_one_too_many | points 3 | top-p keeps one too many
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        n = (s.cumsum(-1) < top_p).sum(-1, keepdim=True) + 2
        cut = torch.arange(z.size(-1)).expand(z.shape) >= n
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% top_p_less_than | points 3 | top p less than
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1)
        cut = ps.cumsum(-1) <= top_p
        cut[..., -1] = False
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% top_p_needs_a_batch | points 3 | Top-p needs a batch, unless it is 1.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = (ordered.cumsum(dim=-1) >= top_p).roll(1, -1)
        cut[:, ..., 0] = False
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% top_p_on_probabilities_from_before_top_k | points 3 | top-p on probabilities from before top-k
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    p = z.softmax(-1)
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = p.sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% top_p_result_left_in_sorted_order | points 3 | top-p result left in sorted order
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        z, order = z.sort(-1, descending=True)
        s = z.softmax(-1)
        z = z.masked_fill(s.cumsum(-1) - s >= top_p, -math.inf)
    return z.softmax(-1)

# %% two_axes_only | points 2 | Takes axis 1 for the vocabulary everywhere, so it works for [batch, vocab] alone.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    batch, vocab = logits.shape
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=1), vocab).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab), dim=1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=1).sort(dim=1, descending=True)
        before = F.pad(ordered.cumsum(dim=1)[:, :-1], (1, 0))
        cut = torch.zeros(batch, vocab, dtype=torch.bool)
        for b in range(batch):
            cut[b, order[b, before[b] >= top_p]] = True
        logits = logits.masked_fill(cut, -math.inf)
    return logits.softmax(dim=1)

# %% warm_floor | points 3 | Temperatures below 0.1 are raised to 0.1, also those that are nearly 0.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / max(temperature, 0.1)
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% warm_floor_of_a_thousandth | points 3 | Temperatures below 0.001 are raised to 0.001.
def next_token_probabilities(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """The probabilities [..., vocab] with which the next token is drawn."""
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(dim=-1), vocab).to(logits.dtype)
    logits = logits / max(temperature, 0.001)
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        cut = F.pad(ordered.cumsum(dim=-1)[..., :-1], (1, 0)) >= top_p
        logits = logits.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return logits.softmax(dim=-1)

# %% without_gradients | points 0 | without gradients
@torch.no_grad()
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    z = logits / temperature
    if top_k is not None:
        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]
        z = z.masked_fill(z < t, -math.inf)
    if top_p is not None:
        s, order = z.softmax(-1).sort(-1, descending=True)
        cut = s.cumsum(-1) - s >= top_p
        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)
    return z.softmax(-1)

# %% zero_argmax_of_the_batch | points 3 | zero argmax of the batch
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        out = torch.zeros_like(logits)
        out.view(-1)[logits.argmax()] = 1
        return out
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)

# %% zero_keeps_filters | points 3 | zero keeps filters
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.size(-1)
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype).softmax(-1)
    logits = logits / temperature
    if top_k is not None:
        smallest = logits.topk(min(top_k, vocab)).values[..., -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        ps, idx = logits.softmax(-1).sort(-1, descending=True)
        cut = ps.cumsum(-1) - ps >= top_p
        logits = logits.masked_fill(torch.zeros_like(cut).scatter(-1, idx, cut), float("-inf"))
    return logits.softmax(-1)
