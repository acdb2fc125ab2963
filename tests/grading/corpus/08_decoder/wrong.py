"""Wrong answers as students might write them: title, exercise, points deserved, source.

They were written from the notebook alone, before anybody looked at the list of known mistakes.
Where answers differ in a line or two, they are made from one right answer by replacing these lines.
"""


def _made(right: str, replacements: dict[str, str]) -> str:
    for old, new in replacements.items():
        assert old in right, old
        right = right.replace(old, new)
    return right


_MASK = r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & attention_mask.bool()[:, None, None, :]
"""

_MASK_ANSWERS = [
    (
        "no place for the cache",
        0,
        {
            "    i = torch.arange(keys - queries, keys)[:, None]\n": "    i = torch.arange(queries)[:, None]\n"
        },
    ),
    ("may not see itself", 0, {"    ok = j <= i\n": "    ok = j < i\n"}),
    (
        "padding forgotten",
        0,
        {
            "    keys = attention_mask.size(1)\n": "    b, keys = attention_mask.shape\n",
            "    return ok & attention_mask.bool()[:, None, None, :]\n": "    return ok.expand(b, 1, queries, keys)\n",
        },
    ),
    (
        "future forgotten",
        0,
        {
            "    keys = attention_mask.size(1)\n": "    b, keys = attention_mask.shape\n",
            "    ok = j <= i\n": "    ok = torch.ones(queries, keys, dtype=torch.bool)\n",
        },
    ),
    (
        "padded queries blanked",
        0,
        {
            "    keys = attention_mask.size(1)\n": "    keys = attention_mask.size(1)\n    real = attention_mask != 0\n",
            "    return ok & attention_mask.bool()[:, None, None, :]\n": "    return ok & real[:, None, None, :] & real[:, None, keys - queries:, None]\n",
        },
    ),
    (
        "window one too wide",
        3,
        {"        ok = ok & (j > i - window)\n": "        ok = ok & (j >= i - window)\n"},
    ),
    (
        "window one too narrow",
        3,
        {"        ok = ok & (j > i - window)\n": "        ok = ok & (i - j < window - 1)\n"},
    ),
    (
        "window lets the future in",
        3,
        {"        ok = ok & (j > i - window)\n": "        ok = (j - i).abs() < window\n"},
    ),
    (
        "and with a mask of floats",
        3,
        {
            "    return ok & attention_mask.bool()[:, None, None, :]\n": "    return (ok & attention_mask[:, None, None, :]).bool()\n"
        },
    ),
    (
        "empty rows see themselves",
        0,
        {
            "    return ok & attention_mask.bool()[:, None, None, :]\n": "    ok = ok & attention_mask.bool()[:, None, None, :]\n    return ok | (i == j)\n"
        },
    ),
    (
        "padding stands on the right",
        0,
        {
            "    return ok & attention_mask.bool()[:, None, None, :]\n": "    lengths = attention_mask.sum(1)\n    return ok & (j < lengths[:, None])[:, None, None, :]\n"
        },
    ),
]

_PROBABILITIES = r"""
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
"""

_PROBABILITIES_ANSWERS = [
    (
        "multiplied by the temperature",
        0,
        {"    z = logits / temperature\n": "    z = logits * temperature\n"},
    ),
    ("temperature forgotten", 0, {"    z = logits / temperature\n": "    z = logits\n"}),
    (
        "temperature last of all",
        3,
        {
            "    z = logits / temperature\n": "    z = logits\n",
            "    return z.softmax(-1)\n": "    return (z / temperature).softmax(-1)\n",
        },
    ),
    (
        "top-p on probabilities from before top-k",
        3,
        {
            "    z = logits / temperature\n": "    z = logits / temperature\n    p = z.softmax(-1)\n",
            "        s, order = z.softmax(-1).sort(-1, descending=True)\n": "        s, order = p.sort(-1, descending=True)\n",
        },
    ),
    (
        "the token that reaches p is cut",
        3,
        {
            "        cut = s.cumsum(-1) - s >= top_p\n": "        cut = s.cumsum(-1) > top_p\n        cut[..., 0] = False\n"
        },
    ),
    (
        "cuts what reaches p, even the first token",
        3,
        {"        cut = s.cumsum(-1) - s >= top_p\n": "        cut = s.cumsum(-1) > top_p\n"},
    ),
    (
        "top-p keeps one too many",
        3,
        {
            "        cut = s.cumsum(-1) - s >= top_p\n": "        n = (s.cumsum(-1) < top_p).sum(-1, keepdim=True) + 2\n        cut = torch.arange(z.size(-1)).expand(z.shape) >= n\n"
        },
    ),
    (
        "marks not brought back",
        3,
        {
            "        cut = s.cumsum(-1) - s >= top_p\n        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": "        z = z.masked_fill(s.cumsum(-1) - s >= top_p, -math.inf)\n"
        },
    ),
    (
        "gather instead of scatter",
        3,
        {
            "        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": "        z = z.masked_fill(cut.gather(-1, order), -math.inf)\n"
        },
    ),
    (
        "top-p result left in sorted order",
        3,
        {
            "        s, order = z.softmax(-1).sort(-1, descending=True)\n        cut = s.cumsum(-1) - s >= top_p\n        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": "        z, order = z.sort(-1, descending=True)\n        s = z.softmax(-1)\n        z = z.masked_fill(s.cumsum(-1) - s >= top_p, -math.inf)\n"
        },
    ),
    (
        "top-p forgotten",
        3,
        {
            "    if top_p is not None:\n        s, order = z.softmax(-1).sort(-1, descending=True)\n        cut = s.cumsum(-1) - s >= top_p\n        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": ""
        },
    ),
    ("either top-k or top-p", 3, {"    if top_p is not None:\n": "    elif top_p is not None:\n"}),
    (
        "the least likely tokens of top-p",
        3,
        {
            "        s, order = z.softmax(-1).sort(-1, descending=True)\n": "        s, order = z.softmax(-1).sort(-1)\n"
        },
    ),
    (
        "cut logits become zero",
        0,
        {
            "        z = z.masked_fill(z < t, -math.inf)\n": "        z = z.masked_fill(z < t, 0)\n",
            "        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": "        z = z.masked_fill(cut.scatter(-1, order, cut), 0)\n",
        },
    ),
    (
        "cut logits become minus ten",
        0,
        {
            "        z = z.masked_fill(z < t, -math.inf)\n": "        z = z.masked_fill(z < t, -10)\n",
            "        z = z.masked_fill(cut.scatter(-1, order, cut), -math.inf)\n": "        z = z.masked_fill(cut.scatter(-1, order, cut), -10)\n",
        },
    ),
    (
        "keeps k minus one",
        0,
        {
            "        z = z.masked_fill(z < t, -math.inf)\n": "        z = z.masked_fill(z <= t, -math.inf)\n"
        },
    ),
    (
        "one threshold for the whole batch",
        0,
        {
            "        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]\n": "        t = z.flatten().topk(min(top_k, z.numel())).values[-1]\n"
        },
    ),
    ("the logits of what is left", 0, {"    return z.softmax(-1)\n": "    return z\n"}),
    (
        "log-probabilities",
        0,
        {
            "        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n": "        return F.one_hot(logits.argmax(-1), logits.size(-1)).float().log()\n",
            "    return z.softmax(-1)\n": "    return z.log_softmax(-1)\n",
        },
    ),
    (
        "draws the token",
        0,
        {
            "        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n": "        return logits.argmax(-1)\n",
            "    return z.softmax(-1)\n": "    return torch.multinomial(z.softmax(-1).view(-1, z.size(-1)), 1)\n",
        },
    ),
    (
        "without gradients",
        0,
        {
            "def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):\n": "@torch.no_grad()\ndef next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):\n"
        },
    ),
    (
        "divides the caller's logits",
        0,
        {
            "def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):\n": "def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):\n    z = logits.detach() if logits.requires_grad else logits\n",
            "    z = logits / temperature\n": "    z /= temperature\n",
        },
    ),
    (
        "divides by zero",
        3,
        {
            "    if temperature == 0:\n        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n": ""
        },
    ),
    (
        "temperature zero counts as none",
        3,
        {
            "    if temperature == 0:\n        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n    z = logits / temperature\n": "    z = logits\n    if temperature:\n        z = z / temperature\n"
        },
    ),
    (
        "temperature zero gives integers",
        3,
        {
            "        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n": "        return F.one_hot(logits.argmax(-1), logits.size(-1))\n"
        },
    ),
    (
        "temperature zero gives the index",
        3,
        {
            "        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n": "        return logits.argmax(-1)\n"
        },
    ),
    (
        "temperature of a tenth instead of zero",
        3,
        {
            "    if temperature == 0:\n        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()\n    z = logits / temperature\n": "    z = logits / max(temperature, 0.1)\n"
        },
    ),
    (
        "a large top_k fails",
        3,
        {
            "        t = z.topk(min(top_k, z.size(-1))).values[..., -1:]\n": "        t = z.topk(top_k).values[..., -1:]\n"
        },
    ),
]

_LOSS = r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
"""

_LOSS_ANSWERS = [
    (
        "the reshape is left",
        0,
        {
            "def repaired_loss(logits, input_ids, attention_mask):\n": "def repaired_loss(logits, input_ids, attention_mask):\n    batch, tokens, vocab = logits.shape\n",
            "    scores = logits[:, :-1].transpose(1, 2)\n": "    scores = logits[:, :-1].reshape(batch, vocab, tokens - 1)\n",
        },
    ),
    (
        "the zero is still ignored",
        0,
        {
            '    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")\n': '    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")\n'
        },
    ),
    (
        "the mean is left",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).mean()\n"
        },
    ),
    (
        "asks only whether the target is real",
        2,
        {
            "    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)\n": "    counts = attention_mask[:, 1:] != 0\n"
        },
    ),
    (
        "asks only whether the input is real",
        0,
        {
            "    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)\n": "    counts = attention_mask[:, :-1] != 0\n"
        },
    ),
    (
        "divides by nothing",
        2,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum() / counts.sum()\n"
        },
    ),
    (
        "the mean of the means of the rows",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return ((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).mean()\n"
        },
    ),
    (
        "the sum",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum()\n"
        },
    ),
    (
        "divides by all real tokens",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum() / attention_mask.sum().clamp(min=1)\n"
        },
    ),
    (
        "divides by the batch",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum() / logits.size(0)\n"
        },
    ),
    (
        "divides by the real targets",
        2,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum() / attention_mask[:, 1:].sum().clamp(min=1)\n"
        },
    ),
    (
        "nothing is asked after an end",
        0,
        {
            "    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)\n": "    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)\n    counts = counts & (input_ids[:, :-1] != 0)\n"
        },
    ),
    (
        "softmax before cross_entropy",
        0,
        {
            "    scores = logits[:, :-1].transpose(1, 2)\n": "    scores = logits[:, :-1].softmax(-1).transpose(1, 2)\n"
        },
    ),
    (
        "a number of Python",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return ((losses * counts).sum() / counts.sum().clamp(min=1)).item()\n"
        },
    ),
    (
        "without gradients",
        0,
        {
            "    scores = logits[:, :-1].transpose(1, 2)\n": "    scores = logits.detach()[:, :-1].transpose(1, 2)\n"
        },
    ),
    (
        "always one more below the line",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return (losses * counts).sum() / (counts.sum() + 1)\n"
        },
    ),
    (
        "the perplexity",
        0,
        {
            "    return (losses * counts).sum() / counts.sum().clamp(min=1)\n": "    return ((losses * counts).sum() / counts.sum().clamp(min=1)).exp()\n"
        },
    ),
    (
        "the length of a row as the right side of padding",
        2,
        {
            "    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)\n": "    lengths = attention_mask.sum(1)\n    counts = torch.arange(1, logits.size(1)) < lengths[:, None]\n"
        },
    ),
]

_CACHED = r"""
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
        return self.output(o), (k, v)
"""

_CACHED_ANSWERS = [
    (
        "positions begin again with each piece",
        0,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "        x = x + self.positions.weight[:n]\n"
        },
    ),
    ("no positions", 0, {"        x = x + self.positions.weight[seen:seen + n]\n": ""}),
    (
        "positions one too far with a cache",
        0,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "        start = seen + 1 if seen else 0\n        x = x + self.positions.weight[start:start + n]\n"
        },
    ),
    (
        "the last position for all new tokens",
        2,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "        x = x + (self.positions.weight[:n] if cache is None else self.positions.weight[seen])\n"
        },
    ),
    (
        "positions after the projection",
        0,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "",
            "        return self.output(o), (k, v)\n": "        return self.output(o) + self.positions.weight[seen:seen + n], (k, v)\n",
        },
    ),
    (
        "values without positions",
        0,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "        y = x\n        x = x + self.positions.weight[seen:seen + n]\n",
            "k, v = self.query_key_value(x).chunk(3, -1)\n": "k, _ = self.query_key_value(x).chunk(3, -1)\n        v = self.query_key_value(y).chunk(3, -1)[2]\n",
        },
    ),
    (
        "no scale",
        0,
        {
            "        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)\n": "        scores = q @ k.transpose(2, 3)\n"
        },
    ),
    (
        "scaled by the hidden size",
        0,
        {
            "        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)\n": "        scores = q @ k.transpose(2, 3) / math.sqrt(d)\n"
        },
    ),
    (
        "no mask",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.softmax(-1)\n"
        },
    ),
    (
        "mask without the cache offset",
        0,
        {
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril()\n"
        },
    ),
    (
        "no mask once there is a cache",
        3,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        if cache is None:\n            scores = scores.masked_fill(~mask, -math.inf)\n        p = scores.softmax(-1)\n"
        },
    ),
    (
        "is_causal of PyTorch whenever more than one is new",
        3,
        {
            "        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)\n": "",
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "",
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "",
            "        o = (p @ v).transpose(1, 2).reshape(b, n, d)\n": "        o = F.scaled_dot_product_attention(q, k, v, is_causal=n > 1).transpose(1, 2).reshape(b, n, d)\n",
        },
    ),
    (
        "is_causal of PyTorch always",
        0,
        {
            "        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)\n": "",
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "",
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "",
            "        o = (p @ v).transpose(1, 2).reshape(b, n, d)\n": "        o = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, d)\n",
        },
    ),
    (
        "new tokens see only the cache and themselves",
        3,
        {
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.cat([torch.ones(n, seen), torch.eye(n) if seen else torch.ones(n, n).tril()], 1).bool()\n"
        },
    ),
    (
        "mask turned round",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.masked_fill(mask, -math.inf).softmax(-1)\n"
        },
    ),
    (
        "may not see itself",
        0,
        {
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen - 1)\n",
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.masked_fill(~mask, -1e9).softmax(-1)\n",
        },
    ),
    (
        "masked with zero",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.masked_fill(~mask, 0).softmax(-1)\n"
        },
    ),
    (
        "masked after the softmax",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.softmax(-1).masked_fill(~mask, 0)\n"
        },
    ),
    (
        "softmax over the queries",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.masked_fill(~mask, -math.inf).softmax(-2)\n"
        },
    ),
    (
        "cached tokens are forgotten",
        0,
        {
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        new = (k, v)\n        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n",
            "        return self.output(o), (k, v)\n": "        return self.output(o), new\n",
        },
    ),
    (
        "the cache is never used",
        0,
        {
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "",
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.ones(n, n, dtype=torch.bool).tril()\n",
        },
    ),
    (
        "only keys are cached",
        0,
        {
            "            v = torch.cat([cache[1], v], 2)\n": "            v = torch.cat([v.new_zeros(cache[1].shape), v], 2)\n"
        },
    ),
    (
        "new tokens before the old ones",
        2,
        {
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if cache is not None:\n            k = torch.cat([k, cache[0]], 2)\n            v = torch.cat([v, cache[1]], 2)\n"
        },
    ),
    (
        "joined along the heads",
        0,
        {
            "k = torch.cat([cache[0], k], 2)": "k = torch.cat([cache[0], k], 1)",
            "v = torch.cat([cache[1], v], 2)": "v = torch.cat([cache[1], v], 1)",
        },
    ),
    (
        "counts the heads as tokens",
        0,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0 if cache is None else cache[0].size(1)\n"
        },
    ),
    (
        "cache as value and key",
        3,
        {
            "        return self.output(o), (k, v)\n": "        return self.output(o), (v, k)\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if cache is not None:\n            k = torch.cat([cache[1], k], 2)\n            v = torch.cat([cache[0], v], 2)\n",
        },
    ),
    (
        "cache with tokens before heads",
        3,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0 if cache is None else cache[0].size(1)\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if cache is not None:\n            k = torch.cat([cache[0].transpose(1, 2), k], 2)\n            v = torch.cat([cache[1].transpose(1, 2), v], 2)\n",
            "        return self.output(o), (k, v)\n": "        return self.output(o), (k.transpose(1, 2), v.transpose(1, 2))\n",
        },
    ),
    (
        "cache with heads not split",
        3,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0 if cache is None else cache[0].size(1)\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if cache is not None:\n            k = torch.cat([cache[0].view(b, seen, h, -1).transpose(1, 2), k], 2)\n            v = torch.cat([cache[1].view(b, seen, h, -1).transpose(1, 2), v], 2)\n",
            "        return self.output(o), (k, v)\n": "        return self.output(o), (k.transpose(1, 2).flatten(2), v.transpose(1, 2).flatten(2))\n",
        },
    ),
    (
        "caches the inputs and computes all again",
        3,
        {
            "        b, n, d = x.shape\n": "        new = x.size(1)\n        if cache is not None:\n            x = torch.cat([cache[0], x], 1)\n        text = x\n        b, n, d = x.shape\n",
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "",
            "        return self.output(o), (k, v)\n": "        return self.output(o)[:, -new:], (text, text)\n",
        },
    ),
    (
        "output for the whole text",
        0,
        {
            "        b, n, d = x.shape\n": "        if cache is not None:\n            x = torch.cat([cache[0], x], 1)\n        text = x\n        b, n, d = x.shape\n",
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "",
            "        return self.output(o), (k, v)\n": "        return self.output(o), (text, text)\n",
        },
    ),
    (
        "the module keeps the text",
        3,
        {
            "        self.num_heads = num_heads\n": "        self.num_heads = num_heads\n        self.k = self.v = None\n",
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        seen = 0 if self.k is None else self.k.size(2)\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if self.k is not None:\n            k = torch.cat([self.k, k], 2)\n            v = torch.cat([self.v, v], 2)\n        self.k, self.v = k, v\n",
        },
    ),
    (
        "the module keeps the text until a call without cache",
        3,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        if cache is None:\n            self.k = self.v = None\n        seen = 0 if self.k is None else self.k.size(2)\n",
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if self.k is not None:\n            k = torch.cat([self.k, k], 2)\n            v = torch.cat([self.v, v], 2)\n        self.k, self.v = k, v\n",
        },
    ),
    (
        "counts the tokens in the module",
        3,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        if cache is None:\n            self.seen = 0\n        seen = self.seen\n        self.seen += n\n",
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.ones(n, k.size(2), dtype=torch.bool).tril(k.size(2) - n)\n",
        },
    ),
    (
        "counts the calls as tokens",
        2,
        {
            "        seen = 0 if cache is None else cache[0].size(2)\n": "        if cache is None:\n            self.seen = 0\n        seen = self.seen\n        self.seen += n if cache is None else 1\n",
            "        x = x + self.positions.weight[seen:seen + n]\n": "        x = x + self.positions.weight[seen:seen + 1 if cache is not None else n]\n",
            "        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)\n": "        mask = torch.ones(n, k.size(2), dtype=torch.bool).tril(k.size(2) - n)\n",
        },
    ),
    (
        "writes into the caller's cache",
        3,
        {
            "        if cache is not None:\n            k = torch.cat([cache[0], k], 2)\n            v = torch.cat([cache[1], v], 2)\n": "        if cache is not None:\n            cache[0].data = torch.cat([cache[0], k], 2)\n            cache[1].data = torch.cat([cache[1], v], 2)\n            k, v = cache\n"
        },
    ),
    (
        "the cache is cut from the graph",
        3,
        {
            "        return self.output(o), (k, v)\n": "        return self.output(o), (k.detach(), v.detach())\n"
        },
    ),
    ("without gradients", 3, {"    def forward(": "    @torch.no_grad()\n    def forward("}),
    ("keys first", 0, {"q, k, v = self.query_key_value": "k, q, v = self.query_key_value"}),
    (
        "thirds within each head",
        0,
        {
            "        q, k, v = self.query_key_value(x).chunk(3, -1)\n        q = q.view(b, n, h, d // h).transpose(1, 2)\n        k = k.view(b, n, h, d // h).transpose(1, 2)\n        v = v.view(b, n, h, d // h).transpose(1, 2)\n": "        q, k, v = self.query_key_value(x).view(b, n, h, 3, d // h).permute(3, 0, 2, 1, 4)\n"
        },
    ),
    (
        "head size before heads",
        0,
        {".view(b, n, h, d // h).transpose(1, 2)": ".view(b, n, d // h, h).permute(0, 3, 1, 2)"},
    ),
    (
        "view instead of transpose",
        0,
        {".view(b, n, h, d // h).transpose(1, 2)": ".reshape(b, h, n, d // h)"},
    ),
    (
        "heads not brought back",
        0,
        {
            "        o = (p @ v).transpose(1, 2).reshape(b, n, d)\n": "        o = (p @ v).reshape(b, n, d)\n"
        },
    ),
    ("no output map", 0, {"        return self.output(o), (k, v)\n": "        return o, (k, v)\n"}),
    (
        "no bias",
        0,
        {
            "nn.Linear(hidden_size, 3 * hidden_size)": "nn.Linear(hidden_size, 3 * hidden_size, bias=False)"
        },
    ),
    ("other names", 0, {"self.query_key_value": "self.qkv"}),
    (
        "dropout",
        0,
        {
            "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n": "        p = scores.masked_fill(~mask, -math.inf).softmax(-1)\n        p = F.dropout(p, 0.1)\n"
        },
    ),
    (
        "a residual connection",
        0,
        {"        return self.output(o), (k, v)\n": "        return x + self.output(o), (k, v)\n"},
    ),
    (
        "adds the positions to the caller's x",
        0,
        {
            "        x = x + self.positions.weight[seen:seen + n]\n": "        x.data += self.positions.weight[seen:seen + n]\n"
        },
    ),
    (
        "only the first new token of a chunk is read",
        2,
        {
            "        b, n, d = x.shape\n": "        if cache is not None:\n            x = x[:, :1]\n        b, n, d = x.shape\n",
            "        return self.output(o), (k, v)\n": "        return self.output(o), (k, v)\n",
        },
    ),
    (
        "only the output",
        0,
        {"        return self.output(o), (k, v)\n": "        return self.output(o)\n"},
    ),
    (
        "cache before output",
        0,
        {"        return self.output(o), (k, v)\n": "        return (k, v), self.output(o)\n"},
    ),
    (
        "a cache that is one tensor",
        3,
        {
            "        return self.output(o), (k, v)\n": "        return self.output(o), torch.stack([k, v])\n"
        },
    ),
    (
        "no cache for the first piece",
        0,
        {
            "        return self.output(o), (k, v)\n": "        return self.output(o), None if cache is None else (k, v)\n"
        },
    ),
]

_BEAMS = r"""
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
    return best[0], best[1] / len(best[0]) ** length_penalty
"""

_BEAMS_ANSWERS = [
    (
        "greedy",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:1]\n"
        },
    ),
    (
        "the best token of each beam",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            order = logp.argsort(descending=True)[:num_beams if not tokens else 1]\n            for t in order.tolist():\n                candidates.append((tokens + [t], score + logp[t].item()))\n"
        },
    ),
    (
        "beams of the first step go on alone",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        if step == 0:\n            beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n        else:\n            V = len(candidates) // len(beams)\n            beams = [max(candidates[i * V:(i + 1) * V], key=lambda c: c[1]) for i in range(len(beams))]\n"
        },
    ),
    (
        "no cut: the exhaustive search",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)\n"
        },
    ),
    (
        "num_beams from each beam, never cut",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in logp.argsort(descending=True)[:num_beams].tolist():\n                candidates.append((tokens + [t], score + logp[t].item()))\n",
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = candidates\n",
        },
    ),
    (
        "cut at num_beams plus one",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams + 1]\n"
        },
    ),
    (
        "sorted the wrong way",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1])[:num_beams]\n"
        },
    ),
    (
        "not sorted",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = candidates[:num_beams]\n"
        },
    ),
    (
        "sorted by the last token alone",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                candidates.append((tokens + [t], logp[t].item()))\n"
        },
    ),
    (
        "log-probabilities multiplied",
        0,
        {
            "    beams = [([], 0.0)]\n": "    beams = [([], 1.0)]\n",
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score * logp[t].item()))\n",
        },
    ),
    (
        "probabilities added",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].exp().item()))\n"
        },
    ),
    (
        "probability instead of its logarithm",
        0,
        {
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], math.exp(best[1] / len(best[0]) ** length_penalty)\n"
        },
    ),
    (
        "one list for all candidates",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                tokens.append(t)\n                candidates.append((tokens, score + logp[t].item()))\n"
        },
    ),
    (
        "append and pop on one list",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                tokens.append(t)\n                candidates.append((tokens[:], score + logp[t].item()))\n"
        },
    ),
    (
        "one token too few",
        0,
        {"    for step in range(max_tokens):\n": "    for step in range(max_tokens - 1):\n"},
    ),
    (
        "one token too many",
        0,
        {"    for step in range(max_tokens):\n": "    for step in range(max_tokens + 1):\n"},
    ),
    (
        "asks with the last token only",
        0,
        {
            "            logp = next_log_probs(tokens)\n": "            logp = next_log_probs(tokens[-1:])\n"
        },
    ),
    (
        "asks with the first beam's text",
        0,
        {
            "            logp = next_log_probs(tokens)\n": "            logp = next_log_probs(beams[0][0])\n"
        },
    ),
    (
        "log of log-probabilities",
        0,
        {
            "            logp = next_log_probs(tokens)\n": "            logp = next_log_probs(tokens).log()\n"
        },
    ),
    (
        "softmax of log-probabilities",
        0,
        {
            "            logp = next_log_probs(tokens)\n": "            logp = next_log_probs(tokens).softmax(-1)\n"
        },
    ),
    (
        "draws",
        0,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        i = torch.multinomial(torch.tensor([c[1] for c in candidates]).softmax(0), min(num_beams, len(candidates)))\n        beams = [candidates[j] for j in i.tolist()]\n"
        },
    ),
    (
        "starts with num_beams empty texts",
        0,
        {"    beams = [([], 0.0)]\n": "    beams = [([], 0.0)] * num_beams\n"},
    ),
    (
        "topk fails with few tokens",
        0,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            top = logp.topk(num_beams)\n            for s, t in zip(top.values.tolist(), top.indices.tolist()):\n                candidates.append((tokens + [t], score + s))\n"
        },
    ),
    (
        "score before tokens",
        0,
        {
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[1] / len(best[0]) ** length_penalty, best[0]\n"
        },
    ),
    (
        "all beams come back",
        0,
        {"    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return beams\n"},
    ),
    (
        "the tokens alone",
        0,
        {"    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0]\n"},
    ),
    (
        "an end does not end",
        2,
        {
            "            if tokens and tokens[-1] == eos_token:\n                candidates.append((tokens, score))\n                continue\n": "",
            "        if all(tokens[-1] == eos_token for tokens, _ in beams):\n            break\n": "",
        },
    ),
    (
        "ended beams are thrown away",
        2,
        {
            "                candidates.append((tokens, score))\n                continue\n": "                continue\n",
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n        if not beams:\n            return [], 0.0\n",
        },
    ),
    (
        "stops at the first end",
        2,
        {
            "        if all(tokens[-1] == eos_token for tokens, _ in beams):\n            break\n": "        if any(tokens[-1] == eos_token for tokens, _ in beams):\n            break\n"
        },
    ),
    (
        "stops when the best has ended",
        3,
        {
            "        if all(tokens[-1] == eos_token for tokens, _ in beams):\n            break\n": "        if beams[0][0][-1] == eos_token:\n            break\n"
        },
    ),
    (
        "ended beams keep a place of their own",
        2,
        {
            "    beams = [([], 0.0)]\n": "    beams = [([], 0.0)]\n    done = []\n",
            "            if tokens and tokens[-1] == eos_token:\n                candidates.append((tokens, score))\n                continue\n": "",
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        candidates.sort(key=lambda c: c[1], reverse=True)\n        done += [c for c in candidates[:num_beams] if c[0][-1] == eos_token]\n        beams = [c for c in candidates if c[0][-1] != eos_token][:num_beams]\n",
            "        if all(tokens[-1] == eos_token for tokens, _ in beams):\n            break\n": "        if len(done) >= num_beams:\n            break\n",
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(done or beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n",
        },
    ),
    (
        "an ended text beats every other",
        2,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    pool = [c for c in beams if c[0][-1] == eos_token] or beams\n    best = max(pool, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n"
        },
    ),
    (
        "ended beams get the end once more",
        2,
        {
            "            if tokens and tokens[-1] == eos_token:\n                candidates.append((tokens, score))\n                continue\n": "            if tokens and tokens[-1] == eos_token:\n                candidates.append((tokens + [eos_token], score))\n                continue\n"
        },
    ),
    (
        "an end anywhere but last is looked for",
        2,
        {
            "            if tokens and tokens[-1] == eos_token:\n                candidates.append((tokens, score))\n                continue\n": "            if eos_token in tokens[:-1]:\n                candidates.append((tokens, score))\n                continue\n"
        },
    ),
    (
        "the end is taken off",
        2,
        {
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    text = best[0][:-1] if best[0][-1] == eos_token else best[0]\n    return text, best[1] / len(best[0]) ** length_penalty\n"
        },
    ),
    (
        "the end's log-probability is left out",
        2,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + (0 if t == eos_token else logp[t].item())))\n"
        },
    ),
    (
        "only the last step may end",
        2,
        {
            "            for t in range(len(logp)):\n                candidates.append((tokens + [t], score + logp[t].item()))\n": "            for t in range(len(logp)):\n                if t == eos_token and step < max_tokens - 1:\n                    continue\n                candidates.append((tokens + [t], score + logp[t].item()))\n"
        },
    ),
    (
        "token 0 cannot end a text",
        3,
        {
            "    beams = [([], 0.0)]\n": "    eos_token = eos_token or None\n    beams = [([], 0.0)]\n"
        },
    ),
    (
        "length penalty in the search",
        3,
        {
            "        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]\n": "        beams = sorted(candidates, key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)[:num_beams]\n"
        },
    ),
    (
        "length penalty forgotten",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1])\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1]\n",
        },
    ),
    (
        "always the mean",
        0,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] / len(c[0]))\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / len(best[0])\n",
        },
    ),
    (
        "best by the sum, then divided",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1])\n"
        },
    ),
    (
        "best by the mean, the sum comes back",
        3,
        {
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1]\n"
        },
    ),
    (
        "length without the end",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    def size(c):\n        return max(1, len(c[0]) - (c[0][-1] == eos_token))\n\n    best = max(beams, key=lambda c: c[1] / size(c) ** length_penalty)\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / size(best) ** length_penalty\n",
        },
    ),
    (
        "multiplied by the length",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] * len(c[0]) ** length_penalty)\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] * len(best[0]) ** length_penalty\n",
        },
    ),
    (
        "length times penalty",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] / (len(c[0]) * length_penalty or 1))\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / (len(best[0]) * length_penalty or 1)\n",
        },
    ),
    (
        "penalty to the power of the length",
        0,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] / length_penalty ** len(c[0]))\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / length_penalty ** len(best[0])\n",
        },
    ),
    (
        "the penalty is subtracted",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] - length_penalty * len(c[0]))\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] - length_penalty * len(best[0])\n",
        },
    ),
    (
        "the formula of GNMT",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] / ((5 + len(c[0])) / 6) ** length_penalty)\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / ((5 + len(best[0])) / 6) ** length_penalty\n",
        },
    ),
    (
        "divided by max_tokens",
        3,
        {
            "    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)\n": "    best = max(beams, key=lambda c: c[1] / max_tokens ** length_penalty)\n",
            "    return best[0], best[1] / len(best[0]) ** length_penalty\n": "    return best[0], best[1] / max_tokens ** length_penalty\n",
        },
    ),
    (
        "calls the model as if it took a tensor",
        0,
        {
            "            logp = next_log_probs(tokens)\n": "            logp = next_log_probs(torch.tensor(tokens))[0]\n"
        },
    ),
]

_OTHERS = [
    (
        "true means hidden",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    return hidden | (attention_mask == 0)[:, None, None, :]
""",
    ),
    (
        "triu instead of tril",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries)
    if window is not None:
        ok = ok & torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + window - 1)
    return ok & (attention_mask != 0)[:, None, None]
""",
    ),
    (
        "or instead of and",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok & torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries - window + 1)
    return ok | (attention_mask != 0)[:, None, None]
""",
    ),
    (
        "only padded queries blanked",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask != 0
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok &= torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries - window + 1)
    return ok & real[:, None, -queries:, None]
""",
    ),
    (
        "window never used",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(diagonal=keys - queries)
    return torch.logical_and(ok, attention_mask[:, None, None, :])
""",
    ),
    (
        "window counts real tokens",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    ok = (j <= i)[None]
    real = attention_mask.bool()
    if window is not None:
        n = real.long().cumsum(1)
        ok = ok & (n[:, None, :] > n[:, -queries:, None] - window)
    return (ok & real[:, None, :])[:, None]
""",
    ),
    (
        "window without the cache offset",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]
""",
    ),
    (
        "the last window keys for every query",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok[:, : max(keys - window, 0)] = False
    return ok & attention_mask.bool()[:, None, None, :]
""",
    ),
    (
        "slices that wrap around",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    b, keys = attention_mask.shape
    out = torch.zeros(b, 1, queries, keys, dtype=torch.bool)
    for q in range(queries):
        p = keys - queries + q
        start = 0 if window is None else p - window + 1
        out[:, :, q, start:p + 1] = attention_mask[:, None, start:p + 1].bool()
    return out
""",
    ),
    (
        "one minus a boolean",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    i = torch.arange(keys - queries, keys)[:, None]
    j = torch.arange(keys)
    hidden = j > i
    if window is not None:
        hidden = hidden | (j <= i - window)
    padding = (1 - attention_mask).bool()
    return ~(hidden | padding[:, None, None, :])
""",
    ),
    (
        "tilde of an integer mask",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok.bool() & ~(~attention_mask).bool()[:, None, None, :]
""",
    ),
    (
        "comes back in the dtype of the mask",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok.to(attention_mask.dtype) * attention_mask[:, None, None, :]
""",
    ),
    (
        "no axis for the heads",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok & attention_mask.bool()[:, None, :]
""",
    ),
    (
        "numbers to be added",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    ok = ok & attention_mask.bool()[:, None, None, :]
    return torch.zeros(ok.shape).masked_fill(~ok, -math.inf)
""",
    ),
    (
        "empty rows opened again",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    ok = ok & attention_mask.bool()[:, None, None, :]
    return ok | ~ok.any(-1, keepdim=True)
""",
    ),
    (
        "queries are the last real tokens",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    real = attention_mask.bool()
    keys = real.size(1)
    i = (real.sum(1)[:, None] - queries + torch.arange(queries))[:, None, :, None]
    j = torch.arange(keys)
    ok = j <= i
    if window is not None:
        ok = ok & (j > i - window)
    return ok & real[:, None, None, :]
""",
    ),
    (
        "always the square mask",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        ok = ok.triu(1 - window)
    return ok & attention_mask.bool()[:, None, None, :]
""",
    ),
    (
        "the first rows of the square mask",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        ok = ok.triu(1 - window)
    return ok[:queries] & attention_mask.bool()[:, None, None, :]
""",
    ),
    (
        "keys as rows",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return (ok & attention_mask.bool()[:, None, None, :]).transpose(2, 3)
""",
    ),
    (
        "overwrites the mask it is given",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return ok & (attention_mask.sub_(1) == 0)[:, None, None, :]
""",
    ),
    (
        "one mask for the whole batch",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    ok = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if window is not None:
        ok = ok.triu(keys - queries - window + 1)
    return (ok & (attention_mask != 0).all(0)).expand(batch, 1, queries, keys)
""",
    ),
    (
        "probabilities divided by the temperature",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "top-p before top-k",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "top-p does not sum to one",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "top-p as a least probability",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "top-k does not sum to one",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "only the kept probabilities come back",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "overwrites logits where the temperature is one",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "axis one everywhere",
        "next_token_probabilities",
        2,
        r"""
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
""",
    ),
    (
        "gumbel softmax",
        "next_token_probabilities",
        0,
        r"""
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return F.gumbel_softmax(logits, tau=temperature or 1e-6, hard=temperature == 0)
""",
    ),
    (
        "the broken one",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, 1:]
    targets = input_ids[:, :-1]
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0, reduction="none"
    )
    return losses.mean()
""",
    ),
    (
        "only the shift repaired",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    shifted = logits[:, :-1]
    targets = input_ids[:, 1:]
    losses = F.cross_entropy(
        shifted.reshape(batch, vocab, tokens - 1), targets, ignore_index=0, reduction="none"
    )
    return losses.mean()
""",
    ),
    (
        "shift and reshape repaired",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    batch, tokens, vocab = logits.shape
    losses = F.cross_entropy(
        logits[:, :-1].transpose(1, 2), input_ids[:, 1:], ignore_index=0, reduction="none"
    )
    return losses.mean()
""",
    ),
    (
        "the shift is left",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.cross_entropy(logits[:, 1:].transpose(1, 2), input_ids[:, :-1], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "padding decided by the ids",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], ignore_index=0, reduction="none")
    return losses.sum() / (input_ids[:, 1:] != 0).sum().clamp(min=1)
""",
    ),
    (
        "cross_entropy's own mean without the zeros",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten(), ignore_index=0
    )
""",
    ),
    (
        "padding counts",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), input_ids[:, 1:].flatten())
""",
    ),
    (
        "labels of minus one hundred",
        "repaired_loss",
        2,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    labels = input_ids.masked_fill(attention_mask == 0, -100)
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
""",
    ),
    (
        "writes minus one hundred into the ids",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    targets = input_ids[:, 1:]
    targets[~counts] = -100
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "the logits are multiplied by the mask",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = (logits[:, :-1] * counts[..., None]).transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "nll_loss of logits",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    losses = F.nll_loss(logits[:, :-1].transpose(1, 2), input_ids[:, 1:], reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "log-softmax over the tokens",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    logp = logits[:, :-1].log_softmax(1)
    losses = -logp.gather(-1, input_ids[:, 1:, None]).squeeze(-1)
    return (losses * counts).sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "not shifted at all",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids, reduction="none")
    real = attention_mask != 0
    return (losses * real).sum() / real.sum().clamp(min=1)
""",
    ),
    (
        "rolled round the end",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask != 0) & (attention_mask.roll(-1, 1) != 0)
    losses = F.cross_entropy(logits.transpose(1, 2), input_ids.roll(-1, 1), reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "a loss for each place",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)
    scores = logits[:, :-1].transpose(1, 2)
    return F.cross_entropy(scores, input_ids[:, 1:], reduction="none") * counts
""",
    ),
    (
        "a small number below the line",
        "repaired_loss",
        2,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = ((attention_mask[:, 1:] != 0) & (attention_mask[:, :-1] != 0)).float()
    scores = logits[:, :-1].transpose(1, 2)
    losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
    return (losses * counts).mean() / counts.mean() if counts.sum() > 0 else losses.mean()
""",
    ),
    (
        "padding on query axis",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(1)
    real = attention_mask.bool()[:, -queries:]
    k = torch.arange(keys)
    q = torch.arange(keys - queries, keys).view(-1, 1)
    allowed = k <= q
    if window is not None:
        allowed = allowed & (k > q - window)
    return allowed & real[:, None, :, None]
""",
    ),
    (
        "fills with zero",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "one threshold for the batch",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "divides in place",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "cache kept in the module",
        "CachedAttention",
        3,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.keys = self.values = None

    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else self.keys.size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = key, value
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "seen from heads axis",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(1)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "starts with copies",
        "beam_search",
        0,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)] * num_beams
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "future only",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key >= query
    if window is not None:
        allowed = allowed & (key < query + window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
""",
    ),
    (
        "zero argmax of the batch",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "softmax twice",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "pad logits zeroed",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)
    scores = scores * counts[:, None]
    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "plus one",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / (counts.sum() + 1)
""",
    ),
    (
        "positions off by one",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        start = max(seen - 1, 0)
        x = x + self.positions.weight[start : start + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "no positions in values",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        plain = x
        x = x + self.positions.weight[seen : seen + new]
        query, key, _ = self.query_key_value(x).chunk(3, -1)
        value = self.query_key_value(plain).chunk(3, -1)[2]
        query, key, value = (t.view(batch, new, self.num_heads, -1).transpose(1, 2) for t in (query, key, value))
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "value key order",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (value, key)
""",
    ),
    (
        "only last output",
        "CachedAttention",
        3,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed if cache is None else mixed[:, -1:]), (key, value)
""",
    ),
    (
        "counter in the module",
        "CachedAttention",
        3,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.count = 0

    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = self.count
        self.count += new
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "finished aside",
        "beam_search",
        2,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        candidates.sort(key=lambda c: -c[1])
        beams = []
        for c in candidates:
            if eos_token is not None and c[0][-1] == eos_token:
                finished.append(c)
            else:
                beams.append(c)
            if len(beams) == num_beams:
                break
        if not beams:
            break
    best = max(finished + beams, key=lambda b: b[1] / len(b[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
""",
    ),
    (
        "divides by max tokens",
        "beam_search",
        3,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / max_tokens ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "queries first of window",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key >= query - window // 2)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
""",
    ),
    (
        "window replaces padding",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(keys - queries, keys).unsqueeze(-1)
    allowed = key <= query
    if window is not None:
        return (allowed & (key > query - window)).expand(batch, 1, queries, keys)
    return allowed & attention_mask.bool()[:, None, None, :]
""",
    ),
    (
        "last key for all",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    if queries == keys:
        allowed = key <= query
    else:
        allowed = torch.ones(queries, keys, dtype=torch.bool)
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
""",
    ),
    (
        "not real sees all",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[:, None, None, :]
    return (allowed & real) | ~attention_mask.bool()[:, None, keys - queries:, None]
""",
    ),
    (
        "temperature twice",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "top p less than",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "top k clamped to vocab minus one",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "zero keeps filters",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "mean of nonzero losses",
        "repaired_loss",
        2,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum() / ((losses * counts) != 0).sum())
""",
    ),
    (
        "padding as target zero",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:] * attention_mask[:, 1:].long()
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.mean()
""",
    ),
    (
        "end not input",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = F.pad(attention_mask, (0, 1))[:, 2:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "mask on logits",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].masked_fill(~(attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool())[..., None], -1e9).transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return losses.sum() / counts.sum().clamp(min=1)
""",
    ),
    (
        "position by total from end",
        "CachedAttention",
        2,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        start = max(seen - new + 1, 0)
        x = x + self.positions.weight[start : start + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "cache before bias",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query = self.query_key_value(x).chunk(3, -1)[0]
        key, value = self.query_key_value(x - self.positions.weight[seen : seen + new]).chunk(3, -1)[1:]
        query, key, value = (t.view(batch, new, self.num_heads, -1).transpose(1, 2) for t in (query, key, value))
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "one head",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + x.size(1)]
        q, k, v = (t.unsqueeze(1) for t in self.query_key_value(x).chunk(3, dim=-1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(seen)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output(y.squeeze(1)), (k, v)
""",
    ),
    (
        "residual",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return x + self.output(mixed), (key, value)
""",
    ),
    (
        "log of log",
        "beam_search",
        0,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + math.exp(log_p)))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "top of the running only",
        "beam_search",
        2,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        done = [c for c in candidates if is_done(c[0])]
        rest = [c for c in candidates if not is_done(c[0])]
        beams = done + sorted(rest, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "stops one late",
        "beam_search",
        0,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens + 1):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "length from score",
        "beam_search",
        3,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / (length_penalty ** len(beam[0]) if length_penalty else 1)

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "broadcast batch as queries",
        "decoder_mask",
        0,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask.bool()[None, None]
    return allowed & real
""",
    ),
    (
        "window sign",
        "decoder_mask",
        3,
        r"""
def decoder_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    key = torch.arange(keys)
    query = torch.arange(queries).unsqueeze(-1) + keys - queries
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key < query + window)
    real = attention_mask.bool()[:, None, None, :]
    return allowed & real
""",
    ),
    (
        "cuts what should stay",
        "next_token_probabilities",
        0,
        r"""
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
""",
    ),
    (
        "cumsum over batch",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "shift without first",
        "next_token_probabilities",
        3,
        r"""
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
""",
    ),
    (
        "sum of row means",
        "repaired_loss",
        0,
        r"""
def repaired_loss(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:].bool() & attention_mask[:, :-1].bool()
    targets = input_ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)

    losses = F.cross_entropy(scores, targets, reduction="none")
    return ((losses * counts).sum(1) / counts.sum(1).clamp(min=1)).sum()
""",
    ),
    (
        "positions subtracted",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x - self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "scale after softmax",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (1)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = (scores.softmax(-1) / self.head_size ** 0.5) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "softmax over heads",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "starts at one",
        "CachedAttention",
        0,
        r"""
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        first = seen if cache is not None else 1
        x = x + self.positions.weight[first : first + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
""",
    ),
    (
        "length less one",
        "beam_search",
        3,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / max(1, len(beam[0]) - 1) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
    (
        "default one",
        "beam_search",
        0,
        r"""
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=1.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
""",
    ),
]

_FAMILIES = [
    ("decoder_mask", _MASK, _MASK_ANSWERS),
    ("next_token_probabilities", _PROBABILITIES, _PROBABILITIES_ANSWERS),
    ("repaired_loss", _LOSS, _LOSS_ANSWERS),
    ("CachedAttention", _CACHED, _CACHED_ANSWERS),
    ("beam_search", _BEAMS, _BEAMS_ANSWERS),
]

ANSWERS = [
    (title, exercise, points, _made(right, replacements))
    for exercise, right, answers in _FAMILIES
    for title, points, replacements in answers
] + _OTHERS
