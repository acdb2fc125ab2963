"""Right answers in many styles: title, exercise, points deserved, source."""

ANSWERS = [
    (
        "three linears of the thirds and torch.where",
        "packed_attention",
        5,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    w, c = state["query_key_value.weight"], state["query_key_value.bias"]
    n = w.shape[0] // 3
    d = n // num_attention_heads
    def heads(i):
        y = hidden_states @ w[i * n:(i + 1) * n].t() + c[i * n:(i + 1) * n]
        return y.reshape(b, t, num_attention_heads, d).swapaxes(1, 2)
    q, k, v = heads(0), heads(1), heads(2)
    s = torch.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(d)
    if mask is not None:
        if mask.ndim == 2:
            mask = mask.view(1, 1, t, t) if mask.shape == (t, t) else mask.view(b, 1, 1, t)
        if mask.ndim == 3:
            mask = mask.unsqueeze(1)
        s = torch.where(mask, s, torch.tensor(-1e30))
        p = torch.softmax(s, -1) * mask.any(-1, keepdim=True)
    else:
        p = torch.softmax(s, -1)
    y = torch.matmul(p, v).permute(0, 2, 1, 3).reshape(b, t, n)
    return y @ state["output.weight"].t() + state["output.bias"]
""",
    ),
    (
        "sentence by sentence, each head by itself",
        "packed_attention",
        5,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    results = []
    batch, tokens, _ = hidden_states.shape
    for i, x in enumerate(hidden_states):
        query, key, value = F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"]).chunk(3, -1)
        size = query.size(-1) // num_attention_heads
        heads = []
        for h in range(num_attention_heads):
            cut = slice(h * size, (h + 1) * size)
            m = None
            if mask is not None:
                m = mask
                if m.dim() == 4: m = m[i, h]
                elif m.dim() == 3: m = m[i]
                elif m.size(0) == batch: m = m[i].expand(tokens, tokens)
            heads.append(F.scaled_dot_product_attention(query[None, None, :, cut], key[None, None, :, cut], value[None, None, :, cut], attn_mask=m)[0, 0])
        results.append(torch.cat(heads, -1))
    return F.linear(torch.stack(results), state["output.weight"], state["output.bias"])
""",
    ),
    (
        "a module filled with the weights",
        "packed_attention",
        5,
        r"""
class Attention(nn.Module):
    def __init__(self, hidden, width, heads):
        super().__init__()
        self.query_key_value, self.output = nn.Linear(hidden, 3 * width), nn.Linear(width, hidden)
        self.heads = heads
    def forward(self, x, mask):
        q, k, v = (p.unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in self.query_key_value(x).chunk(3, -1))
        return self.output(F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(-2))

def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    hidden, width = state["output.weight"].shape
    module = Attention(hidden, width, num_attention_heads)
    module.load_state_dict(state)
    if mask is not None and mask.dim() < 4:
        if mask.dim() == 2 and len(mask) == len(hidden_states):
            mask = mask[:, None]
        mask = mask[None, None] if mask.dim() == 2 else mask[:, None]
    return module(hidden_states, mask)
""",
    ),
    (
        "naive fill and nan_to_num of the weights",
        "packed_attention",
        5,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]).unflatten(-1, (3, num_attention_heads, -1)).unbind(2)
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
    if mask is not None:
        if mask.dim() == 2:
            mask = mask.unsqueeze(1 if mask.size(0) == s.size(0) else 0)
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        s = s.masked_fill(mask.logical_not(), float("-inf"))
    w = s.softmax(-1).nan_to_num()
    return F.linear(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2), state["output.weight"], state["output.bias"])
""",
    ),
    (
        "movedim and reshape",
        "flax_to_torch",
        3,
        r"""
def flax_to_torch(state):
    hidden = state["out.bias"].numel() if "out.bias" in state else state["out.kernel"].shape[2]
    new = {"in_proj_weight": torch.vstack([state[n + ".kernel"].movedim(0, -1).reshape(hidden, hidden) for n in ("query", "key", "value")])}
    if "query.bias" in state:
        new["in_proj_bias"] = torch.hstack([state[n + ".bias"].ravel() for n in ("query", "key", "value")])
    else:
        new["in_proj_bias"] = torch.zeros(3 * hidden, dtype=state["out.kernel"].dtype)
    new["out_proj.weight"] = state["out.kernel"].reshape(hidden, hidden).T.contiguous()
    new["out_proj.bias"] = state["out.bias"] if "out.bias" in state else torch.zeros(hidden).to(state["out.kernel"])
    return new
""",
    ),
    (
        "the kernel flattened as it is, then transposed",
        "flax_to_torch",
        3,
        r"""
from collections import OrderedDict
def flax_to_torch(state):
    weight = torch.cat([state[f"{p}.kernel"].flatten(1) for p in ["query", "key", "value"]], dim=1).t()
    hidden = weight.size(1)
    bias = [state.get(f"{p}.bias", weight.new_zeros(hidden)).reshape(hidden) for p in ["query", "key", "value"]]
    return OrderedDict([
        ("in_proj_weight", weight), ("in_proj_bias", torch.cat(bias)),
        ("out_proj.weight", torch.einsum("hdo->ohd", state["out.kernel"]).flatten(1)),
        ("out_proj.bias", state.get("out.bias", weight.new_zeros(hidden))),
    ])
""",
    ),
    (
        "keyword arguments, a helper function and F.dropout",
        "CrossAttention",
        5,
        r"""
def attend(q, k, v, mask, p, training):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, -1e30)[:, None, None]
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask[:, None, None]
    return F.dropout(w, p, training) @ v, w

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_attention_heads == 0
        self.h, self.d, self.p = num_attention_heads, hidden_size // num_attention_heads, dropout
        self.output = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.value = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.key = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.query = nn.Linear(in_features=hidden_size, out_features=hidden_size)
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, _ = hidden_states.shape
        q = self.query(hidden_states).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        c, w = attend(q, k, v, source_mask, self.p, self.training)
        return self.output(c.transpose(1, 2).contiguous().view(b, t, self.h * self.d)), w
""",
    ),
    (
        "a subclass, dropout on the values' side, a list back",
        "CrossAttention",
        5,
        r"""
class Base(nn.Module):
    def heads(self, x):
        return torch.stack(x.tensor_split(self.n, dim=-1), dim=1)

class CrossAttention(Base):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        sizes = {"query": hidden_size, "key": source_size, "value": source_size, "output": hidden_size}
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(size, hidden_size))
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.heads(self.query(hidden_states)), self.heads(self.key(source_states)), self.heads(self.value(source_states))
        scores = torch.einsum("bnqd,bnkd->bnqk", q, k).mul(q.size(-1) ** -0.5)
        if source_mask is not None:
            scores = scores.masked_fill(source_mask.logical_not()[:, None, None], -torch.inf)
        weights = scores.softmax(-1).nan_to_num(nan=0.0)
        mixed = self.drop(weights) @ v
        return [self.output(torch.cat(mixed.unbind(1), dim=-1)), weights]
""",
    ),
    (
        "three lines changed",
        "repaired_heads",
        3,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3 * num_attention_heads, head_size)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=1)
    mask = is_padding[:, None, None, :].logical_not()
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "the layout of the weights repaired",
        "repaired_heads",
        3,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    n, d = num_attention_heads, hidden // num_attention_heads
    weight = state["query_key_value.weight"].reshape(3, n, d, hidden).transpose(0, 1).reshape(-1, hidden)
    bias = state["query_key_value.bias"].reshape(3, n, d).transpose(0, 1).flatten()
    packed = F.linear(hidden_states, weight, bias).reshape(batch, tokens, n, 3 * d)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    added = torch.zeros(batch, 1, 1, tokens).masked_fill(is_padding[:, None, None], -math.inf)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=added)
    return F.linear(context.permute(0, 2, 1, 3).flatten(2), state["output.weight"], state["output.bias"])
""",
    ),
    (
        "own reference, raise, many sizes",
        "test_multi_head",
        4,
        r"""
def reference(x, state, heads):
    d = x.size(-1) // heads
    q, k, v = (x @ state["query_key_value.weight"].T + state["query_key_value.bias"]).chunk(3, -1)
    out = []
    for h in range(heads):
        s = slice(h * d, (h + 1) * d)
        out.append((q[..., s] @ k[..., s].transpose(1, 2) / math.sqrt(d)).softmax(-1) @ v[..., s])
    return torch.cat(out, -1) @ state["output.weight"].T + state["output.bias"]

def test_multi_head(attention):
    for batch, tokens, heads, d in [(1, 3, 4, 2), (2, 4, 3, 3), (5, 2, 2, 6)]:
        n = heads * d
        x = torch.randn(batch, tokens, n).requires_grad_()
        state = {"query_key_value.weight": torch.randn(3 * n, n) * 0.4, "query_key_value.bias": torch.randn(3 * n),
                 "output.weight": torch.randn(n, n), "output.bias": torch.randn(n)}
        kept = [x.detach().clone(), *(t.clone() for t in state.values())]
        want = reference(x, state, heads)
        got = attention(x, state, heads)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
        for a, b in zip(kept, [x, *state.values()]):
            if not torch.equal(a, b):
                raise RuntimeError("changed")
        (g,) = torch.autograd.grad(got.sum(), x)
        (w,) = torch.autograd.grad(want.sum(), x)
        torch.testing.assert_close(g, w, rtol=1e-2, atol=1e-2)
""",
    ),
    (
        "a module and two calls",
        "test_multi_head",
        4,
        r"""
import copy
def test_multi_head(attention):
    for heads in (2, 3):
        m = nn.MultiheadAttention(12, heads, batch_first=True)
        for p in m.parameters():
            nn.init.normal_(p)
        s = m.state_dict()
        state = {"query_key_value.weight": s["in_proj_weight"].clone() * 0.5, "query_key_value.bias": s["in_proj_bias"].clone(),
                 "output.weight": s["out_proj.weight"].clone(), "output.bias": s["out_proj.bias"].clone()}
        m.load_state_dict({"in_proj_weight": s["in_proj_weight"] * 0.5, "in_proj_bias": s["in_proj_bias"],
                           "out_proj.weight": s["out_proj.weight"], "out_proj.bias": s["out_proj.bias"]})
        for batch in (1, 4):
            x = torch.randn(batch, 5, 12, requires_grad=True)
            y, st = x.detach().clone(), copy.deepcopy(state)
            expected = m(x, x, x)[0]
            for _ in range(2):
                out = attention(x, state, heads)
                assert out.shape == (batch, 5, 12)
                assert (out - expected).abs().max() < 1e-3
                assert out.requires_grad
                out.sum().backward()
                assert x.grad is not None and x.grad.abs().max() > 0
            assert (x == y).all()
            for name in st:
                assert (state[name] == st[name]).all()
""",
    ),
    (
        "nan replaced after softmax",
        "packed_attention",
        5,
        r'''
def packed_attention(
    hidden_states: Tensor,
    state: dict[str, Tensor],
    num_attention_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    by_head = packed.unflatten(-1, (3, num_attention_heads, -1))  # [b, t, 3, heads, head_size]
    query, key, value = by_head.permute(2, 0, 3, 1, 4)  # each [batch, heads, tokens, head_size]
    if mask is not None:
        if mask.dim() == 2 and mask.size(0) == hidden_states.size(0):
            mask = mask[:, None, None, :]
        elif mask.dim() == 3:
            mask = mask[:, None]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    context = torch.nan_to_num(scores.softmax(dim=-1), 0.0) @ value
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
''',
    ),
    (
        "one head and one sentence at a time",
        "packed_attention",
        5,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    size = len(bias) // 3 // num_attention_heads
    batch, tokens, _ = hidden_states.shape
    sentences = []
    for b in range(batch):
        heads = []
        for h in range(num_attention_heads):
            rows = [slice((k * num_attention_heads + h) * size, (k * num_attention_heads + h + 1) * size) for k in range(3)]
            q, k, v = (hidden_states[b] @ weight[r].T + bias[r] for r in rows)
            e = torch.exp(q @ k.T / math.sqrt(size) - (q @ k.T / math.sqrt(size)).amax(-1, keepdim=True).detach())
            if mask is not None:
                if mask.dim() == 4:
                    m = mask[b, h]
                elif mask.dim() == 3:
                    m = mask[b]
                elif mask.shape[0] == batch:
                    m = mask[b][None]
                else:
                    m = mask
                e = e * m
            total = e.sum(-1, keepdim=True)
            heads.append((e / total.masked_fill(total == 0, 1.0)) @ v)
        sentences.append(torch.cat(heads, dim=-1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(sentences)
""",
    ),
    (
        "einsum and logical_or",
        "packed_attention",
        5,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    n, B = num_attention_heads, hidden_states.shape[0]
    w = state["query_key_value.weight"].view(3, n, -1, hidden_states.shape[-1])
    b = state["query_key_value.bias"].view(3, 1, n, 1, -1)
    q, k, v = torch.einsum("btd,cned->cbnte", hidden_states, w) + b
    scores = torch.einsum("bnie,bnje->bnij", q, k) * q.shape[-1] ** -0.5
    if mask is None:
        p = torch.softmax(scores, -1)
    else:
        if mask.dim() == 2:
            mask = mask[:, None, None] if mask.shape[0] == B else mask[None, None]
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = mask.sum(-1, keepdim=True) == 0
        scores = torch.where(torch.logical_or(mask, nothing), scores, torch.tensor(-torch.inf, dtype=scores.dtype))
        p = torch.where(nothing, 0.0, scores.softmax(-1))
    out = torch.einsum("bnij,bnje->bine", p, v)
    return torch.einsum("bine,one->bio", out, state["output.weight"].view(-1, n, out.shape[-1])) + state["output.bias"]
""",
    ),
    (
        "row by row",
        "flax_to_torch",
        3,
        r"""
def flax_to_torch(state):
    hidden, heads, size = state["query.kernel"].shape
    dtype = state["query.kernel"].dtype
    w = torch.empty(3 * hidden, hidden, dtype=dtype)
    b = torch.zeros(3 * hidden, dtype=dtype)
    o = torch.empty(hidden, hidden, dtype=dtype)
    for i, part in enumerate(["query", "key", "value"]):
        for h in range(heads):
            for j in range(size):
                w[i * hidden + h * size + j] = state[part + ".kernel"][:, h, j]
                if part + ".bias" in state:
                    b[i * hidden + h * size + j] = state[part + ".bias"][h, j]
    for h in range(heads):
        for j in range(size):
            o[:, h * size + j] = state["out.kernel"][h, j]
    ob = state["out.bias"].clone() if "out.bias" in state else torch.zeros(hidden, dtype=dtype)
    return {"out_proj.bias": ob, "out_proj.weight": o, "in_proj_bias": b, "in_proj_weight": w}
""",
    ),
    (
        "einsum rearranges",
        "flax_to_torch",
        3,
        r"""
def flax_to_torch(state):
    d = state["out.kernel"].shape[-1]
    w = [torch.einsum("dhe->hed", state[f"{p}.kernel"]).reshape(d, d) for p in "query key value".split()]
    b = [state[f"{p}.bias"].reshape(d) if f"{p}.bias" in state else torch.zeros_like(w[0][:, 0]) for p in "query key value".split()]
    return {"in_proj_weight": torch.vstack(w), "in_proj_bias": torch.hstack(b),
            "out_proj.weight": torch.einsum("heo->ohe", state["out.kernel"]).reshape(d, d),
            "out_proj.bias": state["out.bias"] if "out.bias" in state else torch.zeros_like(w[0][0])}
""",
    ),
    (
        "library module inside",
        "CrossAttention",
        5,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        for name, size in dict(query=hidden_size, key=source_size, value=source_size, output=hidden_size).items():
            setattr(self, name, nn.Linear(size, hidden_size))
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, d = hidden_states.shape
        s = source_states.shape[1]
        q = self.query(hidden_states).reshape(b, t, self.h, d // self.h)
        k = self.key(source_states).reshape(b, s, self.h, d // self.h)
        v = self.value(source_states).reshape(b, s, self.h, d // self.h)
        scores = torch.einsum("bthe,bshe->bhts", q, k) / (d // self.h) ** 0.5
        if source_mask is not None:
            scores = scores + torch.zeros(b, 1, 1, s).masked_fill(~source_mask[:, None, None], torch.finfo(scores.dtype).min)
            w = scores.softmax(-1) * source_mask[:, None, None]
        else:
            w = scores.softmax(-1)
        c = torch.einsum("bhts,bshe->bthe", F.dropout(w, self.p, self.training), v).reshape(b, t, d)
        return self.output(c), w
""",
    ),
    (
        "heads in a loop",
        "CrossAttention",
        5,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        self.output = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.query = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        contexts, all_weights = [], []
        for q, k, v in zip(*(x.chunk(self.n, -1) for x in (self.query(hidden_states), self.key(source_states), self.value(source_states)))):
            s = torch.bmm(q, k.mT) / math.sqrt(q.size(2))
            if source_mask is not None:
                s = s.masked_fill(~source_mask.unsqueeze(1), -1e30)
            w = s.softmax(2)
            if source_mask is not None:
                w = w.masked_fill(~source_mask.unsqueeze(1), 0.0)
            all_weights.append(w)
            contexts.append(torch.bmm(self.drop(w), v))
        return self.output(torch.cat(contexts, 2)), torch.stack(all_weights, 1)
""",
    ),
    (
        "torch multi_head_attention_forward",
        "repaired_heads",
        3,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    d = hidden_states.shape[-1]
    x = hidden_states.transpose(0, 1)
    dead = is_padding.all(1)
    pad = is_padding & ~dead[:, None]
    out, _ = F.multi_head_attention_forward(
        x, x, x, d, num_attention_heads, state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    return torch.where(dead[:, None, None], state["output.bias"], out.transpose(0, 1))
""",
    ),
    (
        "additive float mask",
        "repaired_heads",
        3,
        r'''
def repaired_heads(
    hidden_states: Tensor, is_padding: Tensor, state: dict[str, Tensor], num_attention_heads: int
) -> Tensor:
    """Multi-head self-attention in which padding takes no part: [batch, tokens, hidden]."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, -1)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    mask = torch.zeros(is_padding.shape).masked_fill(is_padding, -math.inf)[:, None, None, :]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
''',
    ),
    (
        "own reference in float64",
        "test_multi_head",
        4,
        r"""
def test_multi_head(attention):
    for seed in range(4):
        torch.manual_seed(seed)
        B, T, H, E = [(2, 4, 2, 3), (3, 6, 4, 2), (1, 3, 3, 4), (4, 5, 1, 6)][seed]
        D = H * E
        x = torch.randn(B, T, D).requires_grad_()
        st = {"query_key_value.weight": torch.randn(3 * D, D), "query_key_value.bias": torch.randn(3 * D),
              "output.weight": torch.randn(D, D), "output.bias": torch.randn(D)}
        z = x.detach().double()
        q, k, v = ((z @ w.T + b).view(B, T, H, E).transpose(1, 2) for w, b in zip(st["query_key_value.weight"].double().chunk(3), st["query_key_value.bias"].double().chunk(3)))
        y = ((q @ k.mT / E**0.5).softmax(-1) @ v).transpose(1, 2).reshape(B, T, D) @ st["output.weight"].double().T + st["output.bias"].double()
        keep = [x.detach().clone()] + [t.clone() for t in st.values()]
        r = attention(x, st, H)
        if r.shape != y.shape:
            raise ValueError("shape")
        if (r.double() - y).abs().max() > 1e-3:
            raise ValueError("numbers")
        if not all(torch.equal(a, b) for a, b in zip(keep, [x.detach(), *st.values()])):
            raise ValueError("arguments")
        if not r.requires_grad:
            raise ValueError("gradient")
        (g,) = torch.autograd.grad(r.square().sum(), x)
        if not g.abs().sum() > 0:
            raise ValueError("gradient zero")
""",
    ),
    (
        "many random settings",
        "test_multi_head",
        4,
        r"""
def test_multi_head(attention):
    for batch, tokens, heads, size in [(1, 5, 2, 4), (4, 3, 4, 3), (2, 6, 3, 2)]:
        d = heads * size
        m = nn.MultiheadAttention(d, heads, batch_first=True)
        for p in m.parameters():
            nn.init.normal_(p)
        p = {"query_key_value.weight": m.in_proj_weight.data.clone(), "query_key_value.bias": m.in_proj_bias.data.clone(),
             "output.weight": m.out_proj.weight.data.clone(), "output.bias": m.out_proj.bias.data.clone()}
        old = {k: v.clone() for k, v in p.items()}
        x = torch.randn(batch, tokens, d)
        x0 = x.clone()
        want = m(x, x, x)[0].detach()
        got = attention(x, p, heads)
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4)
        assert (x == x0).all() and all((p[k] == old[k]).all() for k in p)
        x.requires_grad_(True)
        attention(x, p, heads).pow(2).mean().backward()
        assert x.grad is not None and x.grad.norm() > 0
""",
    ),
    (
        "einsum-and-loop-over-heads",
        "packed_attention",
        5.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    W, b = state["query_key_value.weight"], state["query_key_value.bias"]
    n = W.shape[0] // 3
    d = n // num_attention_heads
    B, T = hidden_states.shape[:2]
    if mask is None:
        mask = torch.ones(B, num_attention_heads, T, T, dtype=torch.bool)
    elif mask.ndim == 2 and tuple(mask.shape) == (T, T):
        mask = mask.expand(B, num_attention_heads, T, T)
    elif mask.ndim == 2:
        mask = mask.view(B, 1, 1, T).expand(-1, num_attention_heads, T, -1)
    elif mask.ndim == 3:
        mask = mask.view(B, 1, T, T).expand(-1, num_attention_heads, -1, -1)
    out = state["output.bias"].expand(B, T, -1)
    for h in range(num_attention_heads):
        rows = [torch.arange(i * n + h * d, i * n + (h + 1) * d) for i in range(3)]
        q, k, v = (torch.einsum("btc,dc->btd", hidden_states, W[r]) + b[r] for r in rows)
        s = torch.einsum("bqd,bkd->bqk", q, k) * d ** -0.5
        keep = mask[:, h]
        s = torch.where(keep, s, torch.full_like(s, torch.finfo(s.dtype).min))
        w = torch.softmax(s, -1) * keep
        out = out + torch.einsum("bqk,bkd,ed->bqe", w, v, state["output.weight"][:, h * d:(h + 1) * d])
    return out
""",
    ),
    (
        "float-bias-mask-for-the-library",
        "packed_attention",
        5.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, _ = hidden_states.size()
    z = hidden_states @ state["query_key_value.weight"].T + state["query_key_value.bias"]
    z = z.view(B, T, 3 * num_attention_heads, -1).transpose(1, 2)
    q, k, v = z.split(num_attention_heads, dim=1)
    extra = None
    if mask is not None:
        shape = {2: (1, 1, T, T) if mask.shape[0] != B else (B, 1, 1, T), 3: (B, 1, T, T), 4: mask.shape}[mask.dim()]
        mask = mask.reshape(shape)
        extra = torch.zeros(mask.shape, dtype=z.dtype).masked_fill_(~mask, -1e30)
    c = F.scaled_dot_product_attention(q, k, v, extra)
    if mask is not None:
        c = torch.where(mask.any(-1, keepdim=True), c, torch.zeros_like(c))
    return c.movedim(1, 2).reshape(B, T, -1) @ state["output.weight"].t() + state["output.bias"]
""",
    ),
    (
        "loops-over-rows",
        "flax_to_torch",
        3.0,
        r"""
def flax_to_torch(state):
    E, H, D = state["query.kernel"].shape
    kw = dict(dtype=state["query.kernel"].dtype)
    new = {"out_proj.bias": torch.zeros(E, **kw), "out_proj.weight": torch.empty(E, E, **kw),
           "in_proj_bias": torch.zeros(3 * E, **kw), "in_proj_weight": torch.empty(3 * E, E, **kw)}
    for p, name in enumerate(["query", "key", "value"]):
        for h in range(H):
            for d in range(D):
                r = p * E + h * D + d
                new["in_proj_weight"][r] = state[name + ".kernel"][:, h, d]
                if name + ".bias" in state:
                    new["in_proj_bias"][r] = state[name + ".bias"][h, d]
                new["out_proj.weight"][:, h * D + d] = state["out.kernel"][h, d]
    if "out.bias" in state:
        new["out_proj.bias"] += state["out.bias"]
    return new
""",
    ),
    (
        "numpy-like-stack-and-einsum",
        "flax_to_torch",
        3.0,
        r"""
def flax_to_torch(state):
    from collections import OrderedDict
    k = torch.stack([state[f"{n}.kernel"] for n in ("query", "key", "value")])
    b = torch.stack([state.get(f"{n}.bias", torch.zeros_like(k[0, 0])) for n in ("query", "key", "value")])
    o = torch.einsum("hde->ehd", state["out.kernel"])
    return OrderedDict(in_proj_weight=k.permute(0, 2, 3, 1).reshape(-1, k.size(1)), in_proj_bias=b.reshape(-1),
        **{"out_proj.weight": o.reshape(o.size(0), -1), "out_proj.bias": state.get("out.bias", torch.zeros_like(o[:, 0, 0]))})
""",
    ),
    (
        "other-registration-order-einsum",
        "CrossAttention",
        5.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.output = nn.Linear(hidden_size, hidden_size)
        for n in ("value", "key"):
            setattr(self, n, nn.Linear(source_size, hidden_size))
        self.query = nn.Linear(hidden_size, hidden_size)
        self.n, self.p = num_attention_heads, dropout
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.query(hidden_states), self.key(source_states), self.value(source_states)
        q, k, v = (t.reshape(*t.shape[:2], self.n, t.shape[-1] // self.n) for t in (q, k, v))
        s = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** .5
        if source_mask is not None:
            m = source_mask[:, None, None].expand_as(s)
            s = s.masked_fill(~m, torch.finfo(s.dtype).min)
            w = s.softmax(-1).masked_fill(~m, 0.)
        else:
            w = s.softmax(-1)
        c = torch.einsum("bhts,bshd->bthd", F.dropout(w, self.p, training=self.training), v)
        return self.output(c.flatten(-2)), w
""",
    ),
    (
        "loop-over-heads",
        "CrossAttention",
        5.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.query, self.key, self.value, self.output = [nn.Linear(a, hidden_size) for a in (hidden_size, source_size, source_size, hidden_size)]
        self.heads = num_attention_heads
        self.attn_drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        qs = self.query(hidden_states).chunk(self.heads, -1)
        ks = self.key(source_states).chunk(self.heads, -1)
        vs = self.value(source_states).chunk(self.heads, -1)
        ws, cs = [], []
        for q, k, v in zip(qs, ks, vs):
            s = torch.baddbmm(torch.zeros(q.size(0), q.size(1), k.size(1)), q, k.mT, alpha=q.size(-1) ** -0.5)
            if source_mask is not None:
                s = s + torch.where(source_mask, 0.0, -1e30).unsqueeze(1)
            w = torch.softmax(s, 2)
            if source_mask is not None:
                w = w * source_mask.unsqueeze(1).float()
            ws.append(w)
            cs.append(torch.bmm(self.attn_drop(w), v))
        return self.output(torch.cat(cs, -1)), torch.stack(ws, 1)
""",
    ),
    (
        "with-the-library-s-multi-head-function",
        "repaired_heads",
        3.0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    x = hidden_states.transpose(0, 1)
    none = is_padding.all(1)
    pad = is_padding & ~none[:, None]
    y, _ = F.multi_head_attention_forward(x, x, x, x.size(-1), num_attention_heads,
        state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], training=False, key_padding_mask=pad, need_weights=False)
    y = y.transpose(0, 1)
    return torch.where(none[:, None, None], state["output.bias"].expand_as(y), y)
""",
    ),
    (
        "loop-over-heads-and-sentences",
        "repaired_heads",
        3.0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    out = []
    for x, pad in zip(hidden_states, is_padding):
        qkv = x @ state["query_key_value.weight"].T + state["query_key_value.bias"]
        heads = []
        E = x.size(-1); D = E // num_attention_heads
        for h in range(num_attention_heads):
            q, k, v = (qkv[:, i * E + h * D: i * E + (h + 1) * D] for i in range(3))
            if pad.all():
                heads.append(v * 0)
            else:
                heads.append(((q @ k[~pad].T) / D ** .5).softmax(-1) @ v[~pad])
        out.append(torch.cat(heads, 1) @ state["output.weight"].T + state["output.bias"])
    return torch.stack(out)
""",
    ),
    (
        "own-reference-in-float64",
        "test_multi_head",
        4.0,
        r"""
def test_multi_head(attention):
    def reference(x, s, H):
        s = {k: v.double() for k, v in s.items()}
        x = x.double()
        E = x.size(-1); D = E // H
        p = x @ s["query_key_value.weight"].T + s["query_key_value.bias"]
        cs = []
        for h in range(H):
            q, k, v = (p[..., i * E + h * D:i * E + h * D + D] for i in range(3))
            cs.append((q @ k.mT / math.sqrt(D)).softmax(-1) @ v)
        return torch.cat(cs, -1) @ s["output.weight"].T + s["output.bias"]
    g = torch.Generator().manual_seed(7)
    for B, T, H, D in ((1, 3, 2, 2), (2, 4, 3, 3), (3, 5, 4, 2), (2, 3, 1, 4)):
        E = H * D
        r = lambda *shape: torch.randn(*shape, generator=g)
        s = {"query_key_value.weight": r(3 * E, E) * .5, "query_key_value.bias": r(3 * E),
             "output.weight": r(E, E) * .5, "output.bias": r(E)}
        x = r(B, T, E)
        want = reference(x, s, H)
        keep = {k: v.clone() for k, v in s.items()}
        xx = x.clone().requires_grad_()
        for _ in range(2):
            got = attention(xx, s, H)
            torch.testing.assert_close(got.double(), want, atol=1e-4, rtol=1e-4)
            torch.testing.assert_close(xx.detach(), x, atol=0, rtol=0)
            for k in keep:
                torch.testing.assert_close(s[k], keep[k], atol=0, rtol=0)
        (gradient,) = torch.autograd.grad(got.sum(), xx)
""",
    ),
    (
        "raises-its-own-errors-unittest-style",
        "test_multi_head",
        4.0,
        r"""
def test_multi_head(attention):
    import unittest
    case = unittest.TestCase()
    torch.manual_seed(3)
    for heads in (2, 3, 4):
        for batch in (1, 2):
            d = heads * 3
            mha = nn.MultiheadAttention(d, heads, batch_first=True)
            nn.init.normal_(mha.in_proj_bias); nn.init.normal_(mha.out_proj.bias)
            nn.init.normal_(mha.in_proj_weight, std=0.5); nn.init.normal_(mha.out_proj.weight, std=0.5)
            st = {"query_key_value.weight": mha.in_proj_weight.detach().clone(), "query_key_value.bias": mha.in_proj_bias.detach().clone(),
                  "output.weight": mha.out_proj.weight.detach().clone(), "output.bias": mha.out_proj.bias.detach().clone()}
            before = {n: t.clone() for n, t in st.items()}
            x = torch.randn(batch, 5, d).requires_grad_(True)
            x_before = x.detach().clone()
            y = attention(x, st, heads)
            z = mha(x_before, x_before, x_before)[0]
            case.assertEqual(y.shape, z.shape)
            case.assertLess((y - z).abs().max().item(), 1e-3)
            case.assertTrue(torch.equal(x.detach(), x_before))
            for n in st:
                case.assertTrue(torch.equal(st[n], before[n]), n)
            case.assertTrue(y.requires_grad)
            y.square().sum().backward()
            case.assertIsNotNone(x.grad)
""",
    ),
    (
        "with a buffer of its own",
        "CrossAttention",
        5,
        r"""
def attend(q, k, v, mask, p, training):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, -1e30)[:, None, None]
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask[:, None, None]
    return F.dropout(w, p, training) @ v, w

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        assert hidden_size % num_attention_heads == 0
        self.h, self.d, self.p = num_attention_heads, hidden_size // num_attention_heads, dropout
        self.output = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.value = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.key = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.query = nn.Linear(in_features=hidden_size, out_features=hidden_size)
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, _ = hidden_states.shape
        q = self.query(hidden_states).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        c, w = attend(q, k, v, source_mask, self.p, self.training)
        return self.output(c.transpose(1, 2).contiguous().view(b, t, self.h * self.d)), w
""",
    ),
]
