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
    (
        "nested lists",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    rows = attention_mask.tolist()
    keys = len(rows[0])
    reach = keys if window is None else window
    return torch.tensor([
        [[[bool(row[j]) and i - reach < j <= i for j in range(keys)]
          for i in range(keys - queries, keys)]]
        for row in rows
    ], dtype=torch.bool)
""",
    ),
    (
        "slice of the square",
        "decoder_mask",
        4,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    b, n = attention_mask.shape
    square = torch.tril(torch.ones(n, n))
    if window is not None:
        square = torch.triu(square, diagonal=-(window - 1))
    both = torch.einsum("qk,bk->bqk", square[-queries:], attention_mask.to(torch.float32))
    return both.unsqueeze(1) > 0.5
""",
    ),
    (
        "row by row",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "ranks and products",
        "next_token_probabilities",
        4,
        r"""
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
""",
    ),
    (
        "gather log softmax",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    logp = torch.log_softmax(logits, dim=-1)[:, :-1]
    picked = logp.gather(2, input_ids[:, 1:, None]).squeeze(2)
    real = attention_mask.bool()
    ok = real[:, 1:] & real[:, :-1]
    n = int(ok.sum())
    return -torch.where(ok, picked, torch.zeros_like(picked)).sum() / max(n, 1)
""",
    ),
    (
        "flat ignore index",
        "repaired_loss",
        3,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    vocab = logits.size(-1)
    m = attention_mask.long()
    labels = input_ids.clone()[:, 1:]
    labels = labels.masked_fill((m[:, 1:] * m[:, :-1]) == 0, -100).flatten()
    total = F.cross_entropy(logits[:, :-1].reshape(-1, vocab), labels, reduction="sum",
                            ignore_index=-100)
    return total / max((labels != -100).sum().item(), 1)
""",
    ),
    (
        "token by token",
        "CachedAttention",
        4,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.output = nn.Linear(hidden_size, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, hidden_size * 3)
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.h = num_heads
        self.d = hidden_size // num_heads

    def forward(self, x, cache=None):
        outs = []
        for t in range(x.size(1)):
            past = 0 if cache is None else cache[0].size(2)
            token = x[:, t] + self.positions.weight[past]
            q, k, v = self.query_key_value(token).view(-1, 3, self.h, 1, self.d).unbind(1)
            if cache is not None:
                k = torch.cat((cache[0], k), -2)
                v = torch.cat((cache[1], v), -2)
            cache = (k, v)
            w = torch.softmax((q * k).sum(-1) / math.sqrt(self.d), -1)
            mixed = (w[..., None] * v).sum(-2)
            outs.append(self.output(mixed.flatten(1)))
        return torch.stack(outs, 1), cache
""",
    ),
    (
        "einsum with own parameters",
        "CachedAttention",
        4,
        r"""
class _Affine(nn.Module):
    def __init__(self, rows, cols, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, cols) * 0.02)
        if bias:
            self.bias = nn.Parameter(torch.zeros(rows))


class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.query_key_value = _Affine(3 * hidden_size, hidden_size)
        self.output = _Affine(hidden_size, hidden_size)
        self.positions = _Affine(max_positions, hidden_size, bias=False)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        B, N, D = x.shape
        H = self.num_heads
        past_k, past_v = cache or (x.new_zeros(B, H, 0, D // H),) * 2
        P = past_k.shape[-2]
        place = torch.arange(P, P + N)
        x = x + self.positions.weight[place]
        w = self.query_key_value.weight.reshape(3, H, D // H, D)
        b = self.query_key_value.bias.reshape(3, H, 1, D // H)
        qkv = torch.einsum("bnd,shed->sbhne", x, w) + b[:, None]
        q, k, v = qkv[0], torch.cat([past_k, qkv[1]], 2), torch.cat([past_v, qkv[2]], 2)
        s = torch.einsum("bhqe,bhke->bhqk", q, k) * (D // H) ** -0.5
        s = s + torch.zeros(N, P + N).masked_fill(torch.arange(P + N) > place[:, None], -torch.inf)
        y = torch.einsum("bhqk,bhke->bqhe", s.softmax(-1), v).reshape(B, N, D)
        return F.linear(y, self.output.weight, self.output.bias), (k, v)
""",
    ),
    (
        "heap of tuples",
        "beam_search",
        4,
        r"""
import heapq


def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [(0.0, ())]
    for _ in range(max_tokens):
        if beams[0][1] and all(t[-1] == eos_token for _, t in beams):
            break
        pool = []
        for score, tokens in beams:
            if tokens and tokens[-1] == eos_token:
                pool.append((score, tokens))
            else:
                pool.extend(
                    (score + p, (*tokens, i))
                    for i, p in enumerate(next_log_probs(list(tokens)).double().tolist())
                )
        beams = heapq.nlargest(num_beams, pool)
    value, tokens = max((s / len(t) ** length_penalty, t) for s, t in beams)
    return list(tokens), value
""",
    ),
    (
        "topk of the flat table",
        "beam_search",
        4,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1)

    def over(text):
        return bool(text) and eos_token is not None and text[-1] == eos_token

    for _ in range(max_tokens):
        rows = []
        for text, score in zip(texts, scores):
            if over(text):
                row = None
            else:
                row = score + next_log_probs(text)
            rows.append(row)
        vocab = max(len(r) for r in rows if r is not None)
        table = torch.stack([
            torch.cat([torch.full((vocab,), -torch.inf), scores[i:i + 1]]) if r is None
            else torch.cat([r, torch.tensor([-torch.inf])])
            for i, r in enumerate(rows)
        ])
        possible = int((table > -torch.inf).sum())
        scores, flat = table.flatten().topk(min(num_beams, possible))
        texts = [
            texts[f // (vocab + 1)] + ([] if f % (vocab + 1) == vocab else [f % (vocab + 1)])
            for f in flat.tolist()
        ]
        if all(map(over, texts)):
            break
    final = [s / len(t) ** length_penalty for s, t in zip(scores.tolist(), texts)]
    best = max(range(len(final)), key=final.__getitem__)
    return texts[best], final[best]
""",
    ),
]
