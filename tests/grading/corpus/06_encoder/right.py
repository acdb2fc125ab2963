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
    (
        "padding index frozen",
        "CompactEmbeddings",
        4,
        r'''
class CompactEmbeddings(nn.Module):
    """Small tables, normalised and widened; positions that skip padding."""

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        hidden_size: int,
        max_positions: int,
        type_vocab_size: int,
        pad_token_id: int,
        eps: float = 1e-12,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_token_id)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))
''',
    ),
    (
        "loops",
        "additive_mask",
        4,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    queries = 1 if allowed is None else allowed.shape[0]
    low = torch.finfo(dtype).min
    mask = torch.full((len(lengths), 1, queries, tokens), low, dtype=dtype)
    for b, n in enumerate(lengths.tolist()):
        mine = range(tokens - n, tokens) if left else range(n)
        for q in range(queries):
            for k in mine:
                if allowed is None or allowed[q, k]:
                    mask[b, 0, q, k] = 0
    return mask
""",
    ),
    (
        "regular expressions",
        "regrouped_bert",
        4,
        r"""
import re
def regrouped_bert(state, num_attention_heads):
    state = {k.replace("bert.", "", 1) if k.startswith("bert.") else k: v for k, v in state.items()}
    state = {re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", k)): v for k, v in state.items()}
    new = {}
    for s in ("weight", "bias"):
        for a, b in (("word_embeddings", "word"), ("position_embeddings", "position"), ("token_type_embeddings", "segment"), ("LayerNorm", "norm")):
            if f"embeddings.{a}.{s}" in state:
                new[f"embedding.{b}.{s}"] = state[f"embeddings.{a}.{s}"]
        i = 0
        while f"encoder.layer.{i}.output.dense.{s}" in state:
            old, to = f"encoder.layer.{i}.", f"layers.{i}."
            q, k, v = (state[f"{old}attention.self.{p}.{s}"].chunk(num_attention_heads) for p in ("query", "key", "value"))
            new[f"{to}attention.query_key_value.{s}"] = torch.cat([t for trio in zip(q, k, v) for t in trio])
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"), ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                new[f"{to}{b}.{s}"] = state[f"{old}{a}.{s}"]
            i += 1
    return new
""",
    ),
    (
        "copies and row indices",
        "regrouped_bert",
        4,
        r'''
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "word",
        "position_embeddings": "position",
        "token_type_embeddings": "segment",
        "LayerNorm": "norm",
    }
    layer_names = {
        "attention.output.dense": "attention.output",
        "attention.output.LayerNorm": "attention.norm",
        "intermediate.dense": "mlp.up",
        "output.dense": "mlp.down",
        "output.LayerNorm": "mlp.norm",
    }
    clean = {}  # without prefix, without old names
    for name, tensor in state.items():
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        clean[f"{module}.{kind}"] = tensor

    result = {}
    for name, tensor in clean.items():
        first, *middle, kind = name.split(".")
        if first == "embeddings" and middle and middle[0] in embedding_names:
            result[f"embedding.{embedding_names[middle[0]]}.{kind}"] = tensor
        if first != "encoder":
            continue
        number, module = middle[1], ".".join(middle[2:])
        if module in layer_names:
            result[f"layers.{number}.{layer_names[module]}.{kind}"] = tensor
        if module == "attention.self.query":
            parts = [clean[name.replace("query", part)] for part in ("query", "key", "value")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            n = parts[0].size(0)
            index = torch.arange(3 * n).view(3, num_attention_heads, -1).transpose(0, 1).flatten()
            packed = torch.cat(parts)[index]
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
''',
    ),
    (
        "functional",
        "CompactEmbeddings",
        4,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            self.add_module(name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.pad, self.p = pad_token_id, dropout
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = F.embedding(input_ids, self.word_embeddings.weight)
        if position_ids is None:
            rows = []
            for row in input_ids.tolist():
                n, out = self.pad, []
                for i in row:
                    n += i != self.pad
                    out.append(n if i != self.pad else self.pad)
                rows.append(out)
            position_ids = torch.tensor(rows)
        x = x + self.position_embeddings.weight[position_ids]
        x = x + (self.token_type_embeddings.weight[0] if token_type_ids is None else self.token_type_embeddings(token_type_ids))
        x = F.dropout(self.norm(x), self.p, self.training)
        return x @ self.projection.weight.mT + self.projection.bias
""",
    ),
    (
        "one hot tables",
        "CompactEmbeddings",
        4,
        r'''
class CompactEmbeddings(nn.Module):
    """Small tables, normalised and widened; positions that skip padding."""

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        hidden_size: int,
        max_positions: int,
        type_vocab_size: int,
        pad_token_id: int,
        eps: float = 1e-12,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = torch.where(real.bool(), real.cumsum(dim=1) + self.pad_token_id, self.pad_token_id)
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + nn.functional.one_hot(token_type_ids, self.token_type_embeddings.num_embeddings).float() @ self.token_type_embeddings.weight
        )
        return self.projection(self.dropout(self.norm(x)))
''',
    ),
    (
        "nn.TransformerEncoder inside",
        "RepairedEncoder",
        4,
        r"""
class RepairedEncoder(nn.TransformerEncoder):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        layer = nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation=nn.functional.gelu, batch_first=True, norm_first=pre_norm)
        super().__init__(layer, num_layers, enable_nested_tensor=False)
        for each in self.layers:
            for p in each.parameters():
                if p.dim() > 1:
                    nn.init.xavier_uniform_(p)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else ~attention_mask.bool()
        x = super().forward(x, src_key_padding_mask=padding)
        return self.final_norm(x) if hasattr(self, "final_norm") else x
""",
    ),
    (
        "additive attention mask",
        "RepairedEncoder",
        4,
        r"""
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        make = lambda: nn.TransformerEncoderLayer(hidden_size, num_heads, width, 0.1, "gelu", 1e-5, True, pre_norm)
        self.layers = nn.Sequential(*(make() for _ in range(num_layers)))
        self.heads = num_heads
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        self.pre_norm = pre_norm
    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            b, t = attention_mask.shape
            mask = torch.zeros(b, t).masked_fill(attention_mask == 0, float("-inf"))
            mask = mask[:, None, None].expand(b, self.heads, t, t).reshape(b * self.heads, t, t)
        for layer in self.layers:
            x = layer(x, mask)
        if self.pre_norm:
            x = self.final_norm(x)
        return x
""",
    ),
    (
        "many small texts",
        "test_encoder",
        4,
        r"""
def test_encoder(encode):
    torch.manual_seed(3)
    for _ in range(3):
        lengths = [10, 6, 3, 8]
        ids = torch.zeros(4, 14, dtype=torch.long)
        seg = torch.zeros_like(ids)
        for r, n in enumerate(lengths):
            ids[r, :n] = torch.randperm(39)[:n] + 1
            seg[r, n // 2 : n] = 1
        mask = (ids > 0).long()
        a, b, c = ids.clone(), mask.clone(), seg.clone()
        full = encode(ids, mask, seg)
        assert (a == ids).all() and (b == mask).all() and (c == seg).all()
        full2 = encode(ids, mask, seg)
        for r, n in enumerate(lengths):
            assert (full[r, :n] - full2[r, :n]).abs().max() < 1e-6
            one = encode(ids[r : r + 1, :n].clone(), torch.ones(1, n, dtype=torch.long), seg[r : r + 1, :n].clone())[0]
            assert (one - full[r, :n]).abs().max() < 1e-4
            if n < 6:
                continue
            w = ids[r : r + 1, :n]
            m, s = torch.ones_like(w), torch.zeros_like(w)
            base = encode(w, m, s)[0]
            back = encode(w.flip(1), m, s)[0].flip(0)
            assert (base - back).abs().max() > 1e-3
            assert (base - encode(w, m, m)[0]).abs().max() > 1e-3
            for j in range(n):
                v = w.clone()
                v[0, j] = w[0, j] % 39 + 1
                d = (encode(v, m, s)[0] - base).abs().max(-1).values
                assert d.min() > 1e-5
""",
    ),
    (
        "gap in tolerance form",
        "test_encoder",
        4,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([8, 9, 2])
    mask = (torch.arange(12) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids.clone(), mask.clone(), segments.clone()]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask == 1], again[mask == 1]), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=0.0)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0, 8):
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"
''',
    ),
    (
        "a float mask of −10000",
        "RepairedEncoder",
        4,
        r'''
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else (1 - attention_mask.float()) * -10000.0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(x)
''',
    ),
    (
        "with a buffer of its own",
        "CompactEmbeddings",
        4,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.register_buffer("position_ids", torch.arange(512)[None])
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
]
