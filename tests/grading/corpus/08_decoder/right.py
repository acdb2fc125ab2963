"""Right answers in many styles: title, exercise, points, source."""

ANSWERS = [
    (
        "tril and triu",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.shape[1]
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window:
        ok = ok.triu(keys - queries - window + 1)
    return torch.logical_and(ok, attention_mask[:, None, None])
""",
    ),
    (
        "four loops",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    out = []
    for row in rows:
        seen = []
        for place in range(keys - queries, keys):
            first = 0 if window is None else max(0, place + 1 - window)
            seen.append([first <= k <= place and bool(row[k]) for k in range(keys)])
        out.append([seen])
    return torch.tensor(out)
""",
    ),
    (
        "the square mask and its last rows",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    n = attention_mask.size(-1)
    i, j = torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")
    d = i - j
    square = (d >= 0) & (d < (window or n))
    square = square[None] & attention_mask.eq(1).unsqueeze(1)
    return square[:, -queries:].unsqueeze(1)
""",
    ),
    (
        "repeat and masked_fill",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    b, k = attention_mask.shape
    m = attention_mask.type(torch.bool).view(b, 1, 1, k).repeat(1, 1, queries, 1)
    lag = torch.arange(k - queries, k).view(-1, 1) - torch.arange(k).view(1, -1)
    m = m.masked_fill(lag < 0, False)
    return m if window is None else m.masked_fill(lag >= window, 0)
""",
    ),
    (
        "a window of infinity, float arithmetic",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    w = math.inf if window is None else window
    keys = attention_mask.size(1)
    lag = (torch.arange(queries) + keys - queries).unsqueeze(1) - torch.arange(keys)
    return torch.where((lag >= 0) & (lag < w), attention_mask[:, None, None].bool(), False)
""",
    ),
    (
        "an additive mask, turned round at the end",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    add = torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    if window is not None:
        add = add + torch.full((queries, keys), -math.inf).tril(keys - queries - window)
    pad = torch.zeros(attention_mask.shape).masked_fill(attention_mask < 0.5, -math.inf)
    return (add + pad[:, None, None, :]) == 0
""",
    ),
    (
        "as transformers does it, ascending",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "row by row in Python",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "a tiny temperature for zero",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "probabilities cut and scaled again",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "minus a billion, and gather with the inverse order",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "labels of minus one hundred on both conditions",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    real = attention_mask.bool()
    keep = real[:, :-1] & real[:, 1:]
    labels = torch.where(keep, input_ids[:, 1:], -100)
    total = F.cross_entropy(
        logits[:, :-1].flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum"
    )
    return total / max(int(keep.sum()), 1)
""",
    ),
    (
        "two loops",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    total, n = logits.sum() * 0, 0
    batch, tokens, _ = logits.shape
    for b in range(batch):
        for t in range(tokens - 1):
            if attention_mask[b, t] and attention_mask[b, t + 1]:
                total = total - logits[b, t].log_softmax(0)[input_ids[b, t + 1]]
                n += 1
    return total / n if n else total
""",
    ),
    (
        "only the places that count are computed",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    m = attention_mask > 0
    b, t = (m[:, 1:] & m[:, :-1]).nonzero(as_tuple=True)
    if len(b) == 0:
        return 0 * logits.sum()
    return F.cross_entropy(logits[b, t], input_ids[b, t + 1])
""",
    ),
    (
        "logsumexp minus the target",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    weights = (attention_mask[:, 1:] * attention_mask[:, :-1]).to(logits.dtype)
    z = logits[:, :-1]
    loss = z.logsumexp(-1) - z.gather(-1, input_ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return torch.einsum("bt,bt->", loss, weights) / weights.sum().clamp(min=1.0)
""",
    ),
    (
        "the own mean of cross_entropy, empty replaced",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    both = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    labels = input_ids[:, 1:].masked_fill(~both, -100)
    loss = F.cross_entropy(logits[:, :-1].permute(0, 2, 1), labels)
    return loss if both.any() else torch.zeros_like(loss) * logits.sum()
""",
    ),
    (
        "a buffer with the whole mask",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads
        self.register_buffer('bias', torch.ones(max_positions, max_positions).tril().bool())

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = self.bias[seen:seen + n, :seen + n]
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)
""",
    ),
    (
        "einsum and a comparison of places",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions(torch.arange(n) + seen)
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = torch.einsum('bhqd,bhkd->bhqk', q, k) * (d // h) ** -0.5
        place = torch.arange(seen, seen + n)
        mask = torch.arange(seen + n)[None] <= place[:, None]
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = torch.einsum('bhqk,bhkd->bqhd', p, v).flatten(2)
        return self.output(o), (k, v)
""",
    ),
    (
        "token by token whatever comes",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        if x.size(1) > 1:
            outputs = []
            for t in range(x.size(1)):
                one, cache = self(x[:, t:t + 1], cache)
                outputs.append(one)
            return torch.cat(outputs, 1), cache
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        p = scores.softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)
""",
    ),
    (
        "bare parameters, a mask to be added",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Module()
        self.positions.weight = nn.Parameter(torch.randn(max_positions, hidden_size))
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        future = torch.full((n, seen + n), -math.inf).triu(seen + 1)
        p = (scores + future).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)
""",
    ),
    (
        "a list as cache, keys kept transposed inside",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), [k, v]
""",
    ),
    (
        "fused, is_causal only without a cache",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen) if seen and n > 1 else None
        o = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=not seen and n > 1)
        o = o.transpose(1, 2).flatten(2)
        return self.output(o), (k, v)
""",
    ),
    (
        "topk for each beam is enough",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            top = logp.topk(min(num_beams, logp.numel()))
            for s, t in zip(top.values.tolist(), top.indices.tolist(), strict=True):
                candidates.append(([*tokens, t], score + s))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
""",
    ),
    (
        "all steps, ended beams stay as they are",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
""",
    ),
    (
        "tuples, a heap, a list at the end",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    import heapq
    beams = [((), 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(list(tokens))
            for t in range(len(logp)):
                candidates.append(((*tokens, t), score + logp[t].item()))
        beams = heapq.nlargest(num_beams, candidates, key=lambda c: c[1])
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return list(best[0]), best[1] / len(best[0]) ** length_penalty
""",
    ),
    (
        "one matrix of scores",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_tokens):
        rows = []
        for text, score in zip(texts, scores, strict=True):
            more = next_log_probs(list(text)).double()
            if text and text[-1] == eos_token:
                more = torch.full_like(more, -math.inf)
                more[eos_token] = 0.0
            rows.append(score + more)
        table = torch.stack(rows)
        flat = table.flatten()
        best = flat.topk(min(num_beams, int((flat > -math.inf).sum())))
        texts = [
            texts[i // table.size(1)] + [i % table.size(1)]
            if not (texts[i // table.size(1)] and texts[i // table.size(1)][-1] == eos_token)
            else texts[i // table.size(1)]
            for i in best.indices.tolist()
        ]
        scores = best.values
    finals = [s / len(t) ** length_penalty for t, s in zip(texts, scores.tolist(), strict=True)]
    at = max(range(len(texts)), key=finals.__getitem__)
    return texts[at], finals[at]
""",
    ),
    (
        "scores from the text each time",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    cached = {}

    def score(text):
        if not text:
            return 0.0
        if text not in cached:
            before = text[:-1]
            rows = next_log_probs(list(before))
            for token, value in enumerate(rows):
                cached[before + (token,)] = score(before) + float(value)
        return cached[text]

    beams, vocab = {()}, len(next_log_probs([]))
    for _ in range(max_tokens):
        pool = {b for b in beams if b and b[-1] == eos_token}
        pool |= {b + (t,) for b in beams - pool for t in range(vocab)}
        beams = set(sorted(pool, key=score)[-num_beams:])
    value, text = max((score(b) / len(b) ** length_penalty, b) for b in beams)
    return [*text], value
""",
    ),
    (
        "a tensor of tokens",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return torch.tensor(best[0]), best[1] / len(best[0]) ** length_penalty
""",
    ),
]
