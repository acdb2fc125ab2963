"""Right answers in styles that the content module does not know."""

ANSWERS = [
    (
        "by outer comparison",
        "additive_mask",
        4,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    low = torch.finfo(dtype).min
    rows = []
    for n in lengths.tolist():
        row = torch.cat([torch.zeros(n, dtype=dtype), torch.full((tokens - n,), low, dtype=dtype)])
        rows.append(row.flip(0) if left else row)
    mask = torch.stack(rows)[:, None, None, :]
    if allowed is not None:
        mask = mask.masked_fill(~allowed[None, None], low)
    return mask
""",
    ),
    (
        "torch.where, negated",
        "additive_mask",
        4,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    start = (tokens - lengths if left else torch.zeros_like(lengths))[:, None]
    stop = start + lengths[:, None]
    place = torch.arange(tokens)[None]
    hidden = ((place < start) | (place >= stop)).view(-1, 1, 1, tokens)
    if allowed is not None:
        hidden = hidden | allowed.logical_not()
    return hidden.to(dtype) * torch.finfo(dtype).min
""",
    ),
    (
        "chunk and cat",
        "regrouped_bert",
        4,
        r"""
def regrouped_bert(state, num_attention_heads):
    s = {}
    for name, t in state.items():
        name = name[5:] if name.startswith("bert.") else name
        for a, b in ((".gamma", ".weight"), (".beta", ".bias")):
            if name.endswith(a): name = name[:-len(a)] + b
        s[name] = t
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    out = {}
    for a, b in emb.items():
        for k in ("weight", "bias"):
            if f"embeddings.{a}.{k}" in s: out[f"embedding.{b}.{k}"] = s[f"embeddings.{a}.{k}"]
    n = 1 + max(int(x.split(".")[2]) for x in s if x.startswith("encoder."))
    for i in range(n):
        for k in ("weight", "bias"):
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = s[f"encoder.layer.{i}.{a}.{k}"].clone()
            ps = [s[f"encoder.layer.{i}.attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([x for h in range(num_attention_heads) for x in (p[h] for p in ps)])
    return out
""",
    ),
    (
        "embedding bag of three tables",
        "CompactEmbeddings",
        4,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            setattr(self, name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.rate, self.pad = dropout, pad_token_id
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        b, t = input_ids.shape
        if position_ids is None:
            real = input_ids.ne(self.pad)
            upto = torch.ones(t, t).triu().long()
            position_ids = (real.long() @ upto).masked_fill(~real, 0) + self.pad
        if token_type_ids is None:
            token_type_ids = torch.zeros(b, t, dtype=torch.long)
        x = self.token_type_embeddings(token_type_ids) + self.position_embeddings(position_ids) + self.word_embeddings(input_ids)
        return self.projection(nn.functional.dropout(self.norm(x), self.rate, self.training))
""",
    ),
    (
        "recursive",
        "RepairedEncoder",
        4,
        r"""
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.Sequential(*[
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, 0.0, F.gelu, 1e-5, True, pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
    def forward(self, x, attention_mask=None):
        padding = attention_mask if attention_mask is None else (1 - attention_mask).bool()
        def run(x, layers):
            return x if not layers else run(layers[0](x, None, padding), layers[1:])
        x = run(x, list(self.layers))
        return self.final_norm(x) if hasattr(self, "final_norm") else x
""",
    ),
    (
        "mask [batch * heads, query, key]",
        "RepairedEncoder",
        4,
        r"""
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(num_layers):
            self.layers.append(nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else None
        self.heads = num_heads
    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            mask = (attention_mask == 0)[:, None, :].expand(-1, x.size(1), -1).repeat_interleave(self.heads, 0)
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], src_mask=mask))
        return states[-1] if self.final_norm is None else self.final_norm(states[-1])
""",
    ),
    (
        "one long text, cut",
        "test_encoder",
        4,
        r"""
def test_encoder(encode):
    gen = torch.Generator().manual_seed(5)
    a = torch.randint(1, 40, (1, 12), generator=gen)
    b = torch.randint(1, 40, (1, 6), generator=gen)
    def alone(ids, seg=None):
        return encode(ids.clone(), torch.ones_like(ids), torch.zeros_like(ids) if seg is None else seg.clone())
    def both(first, second):
        n = max(first.size(1), second.size(1)) + 4
        ids = torch.cat([F.pad(first, (0, n - first.size(1))), F.pad(second, (0, n - second.size(1)))])
        mask = (ids > 0).long()
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        save = ids.clone(), mask.clone(), seg.clone()
        result = encode(ids, mask, seg)
        if not (ids.equal(save[0]) and mask.equal(save[1]) and seg.equal(save[2])):
            raise ValueError("changed")
        return result
    def with_one(ids):
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        return alone(ids, seg)
    for x, y in ((a, b), (b, a)):
        out = both(x, y)
        for i, z in enumerate((x, y)):
            if (out[i, :z.size(1)] - with_one(z)[0]).abs().max() > 2e-4:
                raise ValueError("padding")
    if (with_one(a) - alone(a)).abs().max() < 1e-3:
        raise ValueError("segments")
    if (alone(a[:, :1].repeat(1, 5))[0].std(0)).max() < 1e-3:
        raise ValueError("positions")
    if not torch.equal(alone(a), alone(a)):
        raise ValueError("chance")
    for place in (0, 5, 11):
        c = a.clone()
        c[0, place] = (c[0, place] + 3) % 39 + 1
        if ((alone(c) - alone(a)).abs().sum(-1) < 1e-6).any():
            raise ValueError("context")
""",
    ),
    (
        "unseeded, unittest style",
        "test_encoder",
        4,
        r"""
import unittest
def test_encoder(encode):
    t = unittest.TestCase()
    ids = torch.randint(1, 40, (4, 16))
    n = [16, 10, 3, 1]
    mask = torch.zeros_like(ids)
    for i, k in enumerate(n):
        mask[i, :k] = 1
    ids, seg = ids * mask, torch.randint(2, (4, 16)) * mask
    before = [ids.clone(), mask.clone(), seg.clone()]
    out = encode(ids, mask, seg)
    for x, y in zip(before, (ids, mask, seg)):
        t.assertTrue(torch.equal(x, y))
    for i, k in enumerate(n):
        one = encode(ids[[i], :k], mask[[i], :k], seg[[i], :k])
        t.assertLess(float((one[0] - out[i, :k]).abs().max()), 1e-4)
    full = ids[:1], mask[:1], seg[:1]
    t.assertGreater(float((encode(ids[:1], mask[:1], 1 - seg[:1]) - out[:1]).abs().max()), 1e-2)
    z = torch.zeros_like(ids[:1])
    t.assertGreater(float((encode(ids[:1].roll(5, 1), mask[:1], z) - encode(ids[:1], mask[:1], z).roll(5, 1)).abs().max()), 1e-2)
    for place in range(16):
        other = ids[:1].clone()
        other[0, place] = 1 + other[0, place] % 39
        t.assertTrue(bool(((encode(other, mask[:1], seg[:1]) - encode(*full)).abs().amax(-1) > 0).all()))
""",
    ),
]
