# %% a_tiny_temperature_for_zero | points 4 | a tiny temperature for zero
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / max(temperature, 1e-9)
    V = z.shape[-1]
    rank = z.argsort(-1, descending=True).argsort(-1)
    if top_k is not None:
        z = torch.where(rank < top_k, z, -torch.inf)
    if top_p is not None:
        p = z.softmax(-1)
        # what is more likely than token t
        more = (p.unsqueeze(-2) * (rank.unsqueeze(-2) < rank.unsqueeze(-1))).sum(-1)
        z = torch.where((more < top_p) | (rank == 0), z, -torch.inf)
    return z.softmax(-1)

# %% as_transformers_does_it_ascending | points 4 | as transformers does it, ascending
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0.0:
        best = logits.argmax(-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    scores = logits / temperature
    if top_k is not None:
        top_k = min(top_k, scores.size(-1))
        remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
        scores = scores.masked_fill(remove, -float("inf"))
    if top_p is not None and top_p < 1.0:
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        cumulative = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        remove_sorted = cumulative <= (1 - top_p)
        remove_sorted[..., -1:] = False
        remove = remove_sorted.scatter(-1, sorted_indices, remove_sorted)
        scores = scores.masked_fill(remove, -float("inf"))
    return F.softmax(scores, dim=-1)

# %% minus_a_billion_and_gather_with_the_inverse_order | points 4 | minus a billion, and gather with the inverse order
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return F.one_hot(logits.max(-1).indices, logits.size(-1)).type_as(logits)
    s, i = (logits / temperature).sort(descending=True)
    if top_k is not None:
        s = torch.cat([s[..., :top_k], torch.full_like(s[..., top_k:], -1e9)], -1)
    if top_p is not None:
        p = s.softmax(-1)
        before = F.pad(p.cumsum(-1)[..., :-1], (1, 0))
        s = s.masked_fill(before >= top_p, -1e9)
    return s.softmax(-1).gather(-1, i.argsort(-1))

# %% probabilities_cut_and_scaled_again | points 4 | probabilities cut and scaled again
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
    probs, order = torch.softmax(logits / temperature, -1).sort(dim=-1, descending=True)
    keep = torch.ones_like(probs)
    if top_k is not None:
        keep[..., top_k:] = 0
    probs = probs * keep
    probs = probs / probs.sum(-1, keepdim=True)
    if top_p is not None:
        keep = (probs.cumsum(-1) - probs < top_p).to(probs.dtype)
        probs = probs * keep
        probs = probs / probs.sum(-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, order, probs)

# %% ranks_and_products | points 4 | ranks and products
class _Warp:
    def __init__(self, temperature, top_k, top_p):
        self.t, self.k, self.p = temperature, top_k, top_p

    def __call__(self, z):
        rank = z.argsort(-1, descending=True).argsort(-1)
        if self.t == 0:
            return (rank == 0).type_as(z)
        prob = torch.softmax(z / self.t, -1)
        if self.k is not None:
            prob = prob * (rank < self.k)
            prob = prob / prob.sum(-1, keepdim=True)
        if self.p is not None:
            earlier = rank.unsqueeze(-1) > rank.unsqueeze(-2)
            before = (prob.detach().unsqueeze(-2) * earlier).sum(-1)
            prob = prob * (before < self.p)
        return prob / prob.sum(-1, keepdim=True)


def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _Warp(temperature, top_k, top_p)(logits)

# %% row_by_row | points 4 | row by row
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if logits.dim() > 1:
        return torch.stack([
            next_token_probabilities(row, temperature, top_k, top_p) for row in logits.unbind(0)
        ])
    order = sorted(range(len(logits)), key=lambda i: logits[i].item(), reverse=True)
    if temperature == 0:
        order, logits, top_k, top_p = order[:1], logits * 0 + 0, None, None
        temperature = 1.0
    if top_k is not None:
        order = order[:top_k]
    p = torch.exp(logits / temperature - (logits / temperature)[order[0]])
    if top_p is not None:
        total = sum(p[i].item() for i in order)
        kept, running = [], 0.0
        for i in order:
            kept.append(i)
            running += p[i].item() / total
            if running >= top_p:
                break
        order = kept
    keep = torch.zeros_like(logits)
    keep[order] = 1
    return p * keep / (p * keep).sum()

# %% row_by_row_in_python | points 4 | row by row in Python
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        order = sorted(range(len(row)), key=lambda t: -row[t].item())
        if temperature == 0:
            keep = order[:1]
            scaled = row
        else:
            scaled = row / temperature
            keep = order[:top_k] if top_k else order
            if top_p is not None:
                p = scaled[keep].softmax(0).tolist()
                n, total = 0, 0.0
                while n < len(keep) and total < top_p:
                    total += p[n]
                    n += 1
                keep = keep[:n]
        out = torch.zeros(len(row))
        out[keep] = scaled[keep].softmax(0)
        rows.append(out)
    return torch.stack(rows).reshape(logits.shape)

# %% top_k_by_probabilities | points 4 | top-k by probabilities, which temperatures up to 100 keep apart
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    vocab = logits.shape[-1]
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
    scaled = (logits - logits.detach().amax(-1, keepdim=True)) / temperature
    if top_k is not None and top_k < vocab:
        shares = scaled.detach().softmax(-1)
        kth = shares.topk(top_k, dim=-1).values[..., -1:]
        scaled = scaled.masked_fill(shares < kth, -math.inf)
    if top_p is not None and top_p < 1:
        ordered, order = scaled.detach().sort(dim=-1, descending=True)
        shares = ordered.double().softmax(-1)
        late = shares.cumsum(-1) - shares >= top_p
        cut = torch.zeros_like(late).scatter(-1, order, late)
        scaled = scaled.masked_fill(cut, -math.inf)
    return scaled.softmax(-1)
