"""Wrong answers as students might write them: title, exercise, points deserved, source.

None is an implementation of the mistakes in the content module; they are there to see what the
grader does with answers that nobody had in mind when the cases were made.
"""

ANSWERS = [
    (
        "mask by a loop, one token too far",
        "additive_mask",
        0,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths):
        m[i, ..., : n + 1] = 0
    if allowed is not None:
        m = m.masked_fill(~allowed, torch.finfo(dtype).min)
    return m.flip(-1) if left else m
""",
    ),
    (
        "minus infinity by log",
        "additive_mask",
        0,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    real = (torch.arange(tokens)[None] < lengths[:, None]).to(dtype)
    if left: real = real.flip(1)
    real = real[:, None, None]
    if allowed is not None: real = real * allowed
    return real.log()
""",
    ),
    (
        "unsqueeze(-1)",
        "additive_mask",
        0,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    hide = torch.arange(tokens) >= lengths.unsqueeze(1)
    return torch.zeros(len(lengths), 1, tokens, 1, dtype=dtype).masked_fill(
        hide.unsqueeze(1).unsqueeze(-1), torch.finfo(dtype).min)
""",
    ),
    (
        "masks multiplied by minus the maximum and added",
        "additive_mask",
        2,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = (1 - real.to(dtype))[:, None, None] * low
    if allowed is not None:
        mask = mask + (~allowed).to(dtype) * low
    return mask
""",
    ),
    (
        "half precision by half()",
        "additive_mask",
        3,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep.logical_and(allowed)
    return torch.where(keep, 0.0, -3.4028234663852886e38).to(dtype)
""",
    ),
    (
        "left by negative slicing, wrong for a length of zero or full",
        "additive_mask",
        0,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths.tolist()):
        m[i, ..., -n:] = 0
    m = m if left else m.flip(-1)
    return m if allowed is None else m.masked_fill(~allowed, torch.finfo(dtype).min)
""",
    ),
    (
        "a mask per head made up",
        "additive_mask",
        0,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = torch.arange(tokens) < lengths[:, None]
    return torch.zeros(len(lengths), 1, 1, tokens).masked_fill(~keep[:, None, None], torch.finfo(dtype).min).expand(-1, 2, -1, -1)
""",
    ),
    (
        "left flips allowed too",
        "additive_mask",
        3,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    keep = (torch.arange(tokens) < lengths[:, None])[:, None, None]
    if allowed is not None: keep = keep & allowed
    if left: keep = keep.flip(-1)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
""",
    ),
    (
        "queries of the batch for keys, allowed reshaped",
        "additive_mask",
        3,
        r"""
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep & allowed[:tokens, :tokens].reshape(1, 1, tokens, tokens)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
""",
    ),
    (
        "chapter's conversion with new names",
        "regrouped_bert",
        0,
        r"""
NAMES = {"encoder.layer.": "layers.", "embeddings.LayerNorm": "embedding.norm",
    "embeddings.word_embeddings": "embedding.word", "embeddings.position_embeddings": "embedding.position",
    "embeddings.token_type_embeddings": "embedding.segment",
    "attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
    "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
def regrouped_bert(state, num_attention_heads):
    out = {}
    for name, t in state.items():
        name = name.removeprefix("bert.")
        for a, b in NAMES.items(): name = name.replace(a, b)
        name = name.replace("gamma", "weight").replace("beta", "bias")
        out[name] = t
    i = 0
    while f"layers.{i}.mlp.up.weight" in out:
        for kind in ("weight", "bias"):
            out[f"layers.{i}.attention.query_key_value.{kind}"] = torch.cat(
                [out.pop(f"layers.{i}.attention.self.{p}.{kind}") for p in ("query", "key", "value")])
        i += 1
    return {n: t for n, t in out.items() if n.startswith(("layers.", "embedding."))}
""",
    ),
    (
        "two layers hard-coded",
        "regrouped_bert",
        0,
        r"""
def regrouped_bert(state, num_attention_heads):
    out = {"embedding.word.weight": state["embeddings.word_embeddings.weight"],
        "embedding.position.weight": state["embeddings.position_embeddings.weight"],
        "embedding.segment.weight": state["embeddings.token_type_embeddings.weight"]}
    for k in ("weight", "bias"):
        out[f"embedding.norm.{k}"] = state[f"embeddings.LayerNorm.{k}"]
        for i in range(2):
            o = f"encoder.layer.{i}."
            for a, b in (("attention.output.dense", "attention.output"), ("attention.output.LayerNorm", "attention.norm"),
                         ("intermediate.dense", "mlp.up"), ("output.dense", "mlp.down"), ("output.LayerNorm", "mlp.norm")):
                out[f"layers.{i}.{b}.{k}"] = state[f"{o}{a}.{k}"]
            ps = [state[f"{o}attention.self.{p}.{k}"].chunk(num_attention_heads) for p in ("query", "key", "value")]
            out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat([r for rows in zip(*ps) for r in rows])
    return out
""",
    ),
    (
        "plain BertModel only",
        "regrouped_bert",
        2,
        r"""
def regrouped_bert(state, num_attention_heads):
    import re
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        p = name.split(".")
        if p[0] == "embeddings":
            out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        else:
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                rows = [state[name.replace("query", q)].chunk(num_attention_heads) for q in ("query", "key", "value")]
                out[f"layers.{i}.attention.query_key_value.{k}"] = torch.cat(sum(([a, b, c] for a, b, c in zip(*rows)), []))
    return out
""",
    ),
    (
        "view instead of grouping",
        "regrouped_bert",
        0,
        r"""
def regrouped_bert(state, num_attention_heads):
    out = {}
    emb = {"word_embeddings": "word", "position_embeddings": "position", "token_type_embeddings": "segment", "LayerNorm": "norm"}
    lay = {"attention.output.dense": "attention.output", "attention.output.LayerNorm": "attention.norm",
           "intermediate.dense": "mlp.up", "output.dense": "mlp.down", "output.LayerNorm": "mlp.norm"}
    for name, t in state.items():
        name2 = name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias")
        p = name2.split(".")
        if p[0] == "embeddings" and p[1] in emb: out[f"embedding.{emb[p[1]]}.{p[2]}"] = t
        if p[0] == "encoder":
            i, k, mid = p[2], p[-1], ".".join(p[3:-1])
            if mid in lay: out[f"layers.{i}.{lay[mid]}.{k}"] = t
            elif mid.endswith("query"):
                parts = torch.cat([state[name.replace("query", q)] for q in ("query", "key", "value")])
                out[f"layers.{i}.attention.query_key_value.{k}"] = parts.reshape(num_attention_heads, 3, -1, *parts.shape[1:]).flatten(0, 2)
    return out
""",
    ),
    (
        "returns nothing",
        "regrouped_bert",
        0,
        r"""
def regrouped_bert(state, num_attention_heads):
    out = {n: t for n, t in state.items()}
""",
    ),
    (
        "BERT's block, plain positions, projection",
        "CompactEmbeddings",
        3,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(v, e, padding_idx=pad)
        self.position_embeddings = nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e, eps)
        self.projection = nn.Linear(e, h)
        self.dropout = nn.Dropout(dropout)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None: position_ids = torch.arange(input_ids.size(1))[None]
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))
""",
    ),
    (
        "projected before the norm",
        "CompactEmbeddings",
        0,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(h, eps)
        self.projection = nn.Linear(e, h)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.norm(self.projection(x))
""",
    ),
    (
        "eps forgotten, dropout forgotten",
        "CompactEmbeddings",
        0,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e)
        self.projection = nn.Linear(e, h)
        self.pad = pad
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            r = (input_ids != self.pad).long()
            position_ids = r.cumsum(1) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.norm(x))
""",
    ),
    (
        "cumsum along the batch",
        "CompactEmbeddings",
        3,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e, eps)
        self.projection = nn.Linear(e, h)
        self.dropout = nn.Dropout(dropout)
        self.pad = pad
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            r = (input_ids != self.pad).long()
            position_ids = r.cumsum(0) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))
""",
    ),
    (
        "tables not modules",
        "CompactEmbeddings",
        0,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.tables = [nn.Embedding(n, e) for n in (v, m, t)]
        self.norm, self.projection = nn.LayerNorm(e, eps), nn.Linear(e, h)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return self.projection(self.norm(sum(t(i) for t, i in zip(self.tables, (input_ids, position_ids, token_type_ids)))))
""",
    ),
    (
        "padding vectors set to zero",
        "CompactEmbeddings",
        3,
        r"""
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e, eps)
        self.projection = nn.Linear(e, h)
        self.dropout = nn.Dropout(dropout)
        self.pad = pad
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        r = (input_ids != self.pad).long()
        if position_ids is None: position_ids = r.cumsum(1) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x))) * r[..., None]
""",
    ),
]

_ENCODER = r"""
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)
"""


def _changed(old: str, new: str) -> str:
    assert old in _ENCODER
    return _ENCODER.replace(old, new)


ANSWERS += [
    (
        "mask still bool()",
        "RepairedEncoder",
        0,
        _changed("attention_mask == 0", "attention_mask.bool()"),
    ),
    (
        "mask inverted by minus",
        "RepairedEncoder",
        0,
        _changed("attention_mask == 0", "-attention_mask"),
    ),
    (
        "mask as floats",
        "RepairedEncoder",
        0,
        _changed("attention_mask == 0", "1.0 - attention_mask"),
    ),
    (
        "weakly additive mask",
        "RepairedEncoder",
        0,
        _changed("attention_mask == 0", "(1.0 - attention_mask) * -5"),
    ),
    ("activation relu still", "RepairedEncoder", 0, _changed('activation="gelu", ', "")),
    ("silu", "RepairedEncoder", 0, _changed('"gelu"', "F.silu")),
    (
        "returns in the loop",
        "RepairedEncoder",
        0,
        _changed("        return self.final_norm(x)", "            return self.final_norm(x)"),
    ),
    (
        "norm in the loop",
        "RepairedEncoder",
        2,
        _changed(
            "x = layer(x, src_key_padding_mask=mask)",
            "x = self.final_norm(layer(x, src_key_padding_mask=mask))",
        ),
    ),
    (
        "mask as src_mask",
        "RepairedEncoder",
        0,
        _changed("x = layer(x, src_key_padding_mask=mask)", "x = layer(x, src_mask=mask)"),
    ),
    (
        "all layers one",
        "RepairedEncoder",
        0,
        _changed("for _ in range(num_layers))", "for _ in range(1))").replace(
            "in self.layers:", "in [self.layers[0]] * 3:"
        ),
    ),
    (
        "layers in a dictionary",
        "RepairedEncoder",
        0,
        _changed("self.layers = nn.ModuleList(", "self.layers = dict(enumerate(")
        .replace("range(num_layers))", "range(num_layers)))")
        .replace("in self.layers:", "in self.layers.values():"),
    ),
    (
        "eps of BERT",
        "RepairedEncoder",
        0,
        _changed("norm_first=pre_norm)", "norm_first=pre_norm, layer_norm_eps=1e-2)"),
    ),
    (
        "no gradients",
        "RepairedEncoder",
        3,
        _changed("    def forward", "    @torch.no_grad()\n    def forward"),
    ),
    (
        "padding removed by product",
        "RepairedEncoder",
        0,
        _changed(
            "x = layer(x, src_key_padding_mask=mask)",
            "x = layer(x) * (1 if mask is None else (~mask)[..., None])",
        ),
    ),
]

_TEST = r"""
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()
"""


def _weak(old: str, new: str = "") -> str:
    assert old in _TEST
    return _TEST.replace(old, new)


ANSWERS += [
    (
        "no order",
        "test_encoder",
        0,
        _weak(
            "    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)\n"
        ),
    ),
    (
        "order vacuous",
        "test_encoder",
        0,
        _weak("encode(w.flip(1), one, zero), base.flip(1)", "encode(w.flip(1), one, zero), base"),
    ),
    (
        "no segments",
        "test_encoder",
        0,
        _weak("    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)\n"),
    ),
    (
        "no copies",
        "test_encoder",
        3,
        _weak("    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))\n")
        .replace(
            "out = encode(ids, mask, seg)", "out = encode(ids.clone(), mask.clone(), seg.clone())"
        )
        .replace("encode(w, one, zero)", "encode(w.clone(), one.clone(), zero.clone())"),
    ),
    ("only the last word", "test_encoder", 3, _weak("in (0, 9)", "in (9,)")),
    ("any vector moved", "test_encoder", 3, _weak("> 1e-6).all()", "> 1e-6).any()")),
    (
        "compares padding as well",
        "test_encoder",
        0,
        _weak(
            "assert torch.allclose(out[i, :n], alone, atol=1e-4)",
            "assert torch.allclose(out[i], F.pad(alone, (0, 0, 0, 13 - n)), atol=1e-4)",
        ),
    ),
    (
        "equal to the last digit",
        "test_encoder",
        0,
        _weak(
            "assert torch.allclose(out[i, :n], alone, atol=1e-4)",
            "assert torch.equal(out[i, :n], alone)",
        ),
    ),
    (
        "mean of everything compared",
        "test_encoder",
        0,
        _weak(
            "torch.allclose(out[i, :n], alone, atol=1e-4)",
            "torch.allclose(out[i].mean(0), alone.mean(0), atol=1e-4)",
        ),
    ),
    (
        "prints instead of raising",
        "test_encoder",
        0,
        "def test_encoder(encode):\n    try:\n        inner(encode)\n    except AssertionError as error:\n        print('wrong', error)\n"
        + _TEST.replace("def test_encoder", "def inner"),
    ),
    (
        "one token too many",
        "additive_mask",
        0,
        r'''
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places <= lengths[:, None]
    if left:
        real = places >= tokens - lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)
''',
    ),
    (
        "up and down exchanged",
        "regrouped_bert",
        0,
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
        "intermediate.dense": "mlp.down",
        "output.dense": "mlp.up",
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
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
''',
    ),
    (
        "segments skipped",
        "CompactEmbeddings",
        3,
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
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
        )
        if token_type_ids is not None:
            x = x + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))
''',
    ),
    (
        "padding rows compared",
        "test_encoder",
        0,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
    mask = (torch.arange(12) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids.clone(), mask.clone(), segments.clone()]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together, again), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i], alone[0], atol=1e-4, rtol=1e-4)

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
        "no clone",
        "test_encoder",
        3,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
    mask = (torch.arange(12) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids, mask, segments]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask == 1], again[mask == 1]), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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
        "no dependence test",
        "test_encoder",
        3,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
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
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in ():
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"
''',
    ),
    (
        "same length texts",
        "test_encoder",
        0,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([12, 12, 12])
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
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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
        "value before key",
        "regrouped_bert",
        0,
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
            parts = [clean[name.replace("query", part)] for part in ("query", "value", "key")]
            by_head = [part.unflatten(0, (num_attention_heads, -1)) for part in parts]
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
''',
    ),
    (
        "tokens and positions exchanged",
        "regrouped_bert",
        0,
        r'''
def regrouped_bert(state: dict[str, Tensor], num_attention_heads: int) -> dict[str, Tensor]:
    """The state of an encoder that packs query, key and value head by head."""
    embedding_names = {
        "word_embeddings": "position",
        "position_embeddings": "word",
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
            packed = torch.stack(by_head, dim=1).flatten(0, 2)
            result[f"layers.{number}.attention.query_key_value.{kind}"] = packed
    return result
''',
    ),
    (
        "only one word changed: the first",
        "test_encoder",
        3,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
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
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0,):
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"
''',
    ),
    (
        "any instead of all",
        "test_encoder",
        3,
        r'''
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
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
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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
        assert (moved > 1e-5).any(), "some vectors do not depend on this word"
''',
    ),
    (
        "left by flipping lengths",
        "additive_mask",
        2,
        r'''
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left:
        real = real.flip(0)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)
''',
    ),
]

# Tests that look at a part of what law 1 promises.
_COMPARED = "torch.allclose(out[i, :n], alone, atol=1e-4)"
ANSWERS += [
    (
        "only the first vector",
        "test_encoder",
        3,
        _weak(_COMPARED, "torch.allclose(out[i, :1], alone[:1], atol=1e-4)"),
    ),
    (
        "only the last vector",
        "test_encoder",
        3,
        _weak(_COMPARED, "torch.allclose(out[i, n - 1 : n], alone[-1:], atol=1e-4)"),
    ),
    (
        "only the second of three texts",
        "test_encoder",
        3,
        _weak("enumerate(lengths.tolist())", "[(1, 5)]"),
    ),
]
