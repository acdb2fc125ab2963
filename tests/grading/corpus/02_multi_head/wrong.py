"""Wrong answers as students might write them: title, exercise, points deserved, source.

None is an implementation of the mistakes in the content module; they are there to see what the
grader does with answers that nobody had in mind when the cases were made.
"""

PROLOGUE = r"""
def project(x, state):
    return F.linear(x, state["query_key_value.weight"], state["query_key_value.bias"])

def out(x, state):
    return F.linear(x, state["output.weight"], state["output.bias"])

def thirds(x, state, n):
    return [p.unflatten(-1, (n, -1)).transpose(1, 2) for p in project(x, state).chunk(3, -1)]

def four(mask, b):
    if mask is None or mask.dim() == 4:
        return mask
    if mask.dim() == 3:
        return mask[:, None]
    return mask[:, None, None] if len(mask) == b else mask[None, None]

def merge(c):
    return c.transpose(1, 2).flatten(2)

class Parts(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        self.query, self.output = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size)
        self.key, self.value = nn.Linear(source_size, hidden_size), nn.Linear(source_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def three(self, x, y):
        return [p.unflatten(-1, (self.n, -1)).transpose(1, 2) for p in (self.query(x), self.key(y), self.value(y))]

def same(a, b):
    return torch.allclose(a, b, atol=1e-4)

def setting(batch, tokens, heads, size, std=0.5):
    n = heads * size
    m = nn.MultiheadAttention(n, heads, batch_first=True)
    for p in m.parameters():
        nn.init.normal_(p, std=std)
    state = {"query_key_value.weight": m.in_proj_weight.detach().clone(), "query_key_value.bias": m.in_proj_bias.detach().clone(),
             "output.weight": m.out_proj.weight.detach().clone(), "output.bias": m.out_proj.bias.detach().clone()}
    x = torch.randn(batch, tokens, n)
    return x, state, m(x, x, x)[0].detach()
"""

ANSWERS = [
    (
        "the chapter's module as a function, masks expanded as for padding",
        "packed_attention",
        2,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    q, k, v = (p.reshape(batch, tokens, num_attention_heads, head_size).transpose(1, 2) for p in project(hidden_states, state).chunk(3, -1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)
    context = scores.softmax(-1) @ v
    return out(context.transpose(1, 2).reshape(batch, tokens, hidden), state)
""",
    ),
    (
        "the chapter's head size and a naive fill",
        "packed_attention",
        3,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, d = hidden_states.shape
    q, k, v = (p.view(b, t, num_attention_heads, d // num_attention_heads).transpose(1, 2) for p in project(hidden_states, state).split(d, -1))
    s = q @ k.mT / (d // num_attention_heads) ** 0.5
    if mask is not None:
        s = s.masked_fill(four(mask, b) == 0, float("-inf"))
    return out(merge(s.softmax(-1) @ v), state)
""",
    ),
    (
        "view of the packed numbers to heads first and back",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = (p.reshape(b, num_attention_heads, t, -1) for p in project(hidden_states, state).chunk(3, -1))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(c.reshape(b, t, -1), state)
""",
    ),
    (
        "weight not transposed in a matmul",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    packed = hidden_states @ state["query_key_value.weight"] + state["query_key_value.bias"]
    return out(packed[..., :hidden_states.size(-1)], state)
""",
    ),
    (
        "mask added as a float of ones and zeros",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else m.float())
    return out(merge(c), state)
""",
    ),
    (
        "True hides, as in MultiheadAttention",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    m = four(mask, len(hidden_states))
    s = q @ k.mT / math.sqrt(q.size(-1))
    if m is not None:
        s.masked_fill_(m, -1e9)
    return out(merge(s.softmax(-1) @ v), state)
""",
    ),
    (
        "three dimensions not unsqueezed, finite fill",
        "packed_attention",
        3,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        if mask.dim() == 2:
            mask = four(mask, len(hidden_states))
        s = s.masked_fill(~mask, -1e9)
    return out(merge(s.softmax(-1) @ v), state)
""",
    ),
    (
        "softmax with the legacy axis 1",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    s = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        s = s.masked_fill(~four(mask, len(hidden_states)), -1e9)
    return out(merge(F.softmax(s, 1) @ v), state)
""",
    ),
    (
        "weights read as query, key, value of each head",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    b, t, _ = hidden_states.shape
    q, k, v = project(hidden_states, state).view(b, t, num_attention_heads, 3, -1).permute(3, 0, 2, 1, 4)
    c = F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, b))
    return out(merge(c), state)
""",
    ),
    (
        "residual added",
        "packed_attention",
        0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    q, k, v = thirds(hidden_states, state, num_attention_heads)
    return hidden_states + out(merge(F.scaled_dot_product_attention(q, k, v, attn_mask=four(mask, len(hidden_states)))), state)
""",
    ),
    (
        "kernels only reshaped",
        "flax_to_torch",
        0,
        r"""
def flax_to_torch(state):
    hidden = state["out.kernel"].shape[-1]
    z = torch.zeros(hidden, dtype=state["out.kernel"].dtype)
    return {
        "in_proj_weight": torch.cat([state[f"{n}.kernel"].reshape(hidden, hidden) for n in ("query", "key", "value")]),
        "in_proj_bias": torch.cat([state.get(f"{n}.bias", z).reshape(hidden) for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].reshape(hidden, hidden),
        "out_proj.bias": state.get("out.bias", z),
    }
""",
    ),
    (
        "no thought of missing biases",
        "flax_to_torch",
        2,
        r"""
def flax_to_torch(state):
    f = lambda n: state[n + ".kernel"].flatten(1).T
    return {
        "in_proj_weight": torch.cat([f("query"), f("key"), f("value")]),
        "in_proj_bias": torch.cat([state[n + ".bias"].flatten() for n in ("query", "key", "value")]),
        "out_proj.weight": state["out.kernel"].flatten(0, 1).T,
        "out_proj.bias": state["out.bias"],
    }
""",
    ),
    (
        "packed in the order of the dictionary",
        "flax_to_torch",
        0,
        r"""
def flax_to_torch(state):
    names = [n for n in sorted(state) if n.endswith("kernel") and not n.startswith("out")]
    hidden = state["out.kernel"].size(2)
    zeros = state["out.kernel"].new_zeros(hidden)
    return {
        "in_proj_weight": torch.cat([state[n].flatten(1).T for n in names]),
        "in_proj_bias": torch.cat([state.get(n.replace("kernel", "bias"), zeros).flatten() for n in names]),
        "out_proj.weight": state["out.kernel"].flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", zeros),
    }
""",
    ),
    (
        "T of a tensor of three axes",
        "flax_to_torch",
        0,
        r"""
def flax_to_torch(state):
    hidden = state["out.kernel"].size(2)
    zeros = state["out.kernel"].new_zeros(hidden)
    parts = ("query", "key", "value")
    return {
        "in_proj_weight": torch.cat([state[n + ".kernel"].permute(2, 1, 0).reshape(hidden, hidden) for n in parts]),
        "in_proj_bias": torch.cat([state.get(n + ".bias", zeros).reshape(-1) for n in parts]),
        "out_proj.weight": state["out.kernel"].permute(2, 1, 0).reshape(hidden, hidden),
        "out_proj.bias": state.get("out.bias", zeros),
    }
""",
    ),
    (
        "fused, so no weights",
        "CrossAttention",
        3,
        r"""
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        m = None if source_mask is None else source_mask[:, None, None]
        p = self.dropout.p if self.training else 0.0
        return self.output(merge(F.scaled_dot_product_attention(q, k, v, m, p)))
""",
    ),
    (
        "naive fill and no dropout",
        "CrossAttention",
        3,
        r"""
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if source_mask is not None:
            s = s.masked_fill(~source_mask[:, None, None], float("-inf"))
        w = s.softmax(-1)
        return self.output(merge(w @ v)), w
""",
    ),
    (
        "dropped weights are returned",
        "CrossAttention",
        4,
        r"""
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if source_mask is not None:
            m = source_mask[:, None, None]
            s = s.masked_fill(~m, -1e30)
            w = self.dropout(s.softmax(-1) * m)
        else:
            w = self.dropout(s.softmax(-1))
        return self.output(merge(w @ v)), w
""",
    ),
    (
        "key from the source, value from the target",
        "CrossAttention",
        0,
        r"""
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, _ = self.three(hidden_states, source_states)
        v = self.value(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        return self.output(merge(w @ v)), w
""",
    ),
    (
        "weights of one head, summed",
        "CrossAttention",
        3,
        r"""
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.mT / math.sqrt(q.size(-1))
        w = s.softmax(-1)
        if source_mask is not None:
            m = source_mask[:, None, None]
            w = torch.where(m, s, torch.tensor(-1e30)).softmax(-1) * m
        return self.output(merge(self.dropout(w) @ v)), w.sum(1)
""",
    ),
    (
        "layers in a dictionary",
        "CrossAttention",
        0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.layers = {n: nn.Linear(hidden_size if n in "query output" else source_size, hidden_size) for n in ("query", "key", "value", "output")}
        self.n = num_attention_heads
    def forward(self, x, y, source_mask=None):
        return self.layers["output"](x), None
""",
    ),
    (
        "only the mask repaired",
        "repaired_heads",
        1,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    packed = project(hidden_states, state).reshape(batch, tokens, num_attention_heads, -1)
    query, key, value = packed.transpose(1, 2).chunk(3, dim=-1)
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None, None, :])
    return out(context.reshape(batch, tokens, hidden), state)
""",
    ),
    (
        "all but the mask repaired",
        "repaired_heads",
        0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding[:, None, None, :])), state)
""",
    ),
    (
        "mask given up for is_causal",
        "repaired_heads",
        0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    return out(merge(F.scaled_dot_product_attention(query, key, value, is_causal=True)), state)
""",
    ),
    (
        "numbers of the mask as 0 and -10000",
        "repaired_heads",
        2,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    query, key, value = thirds(hidden_states, state, num_attention_heads)
    added = is_padding[:, None, None, :].float() * -10000.0
    return out(merge(F.scaled_dot_product_attention(query, key, value, attn_mask=added)), state)
""",
    ),
    (
        "still merged by reshape, heads interleaved",
        "repaired_heads",
        1,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    b, t, d = hidden_states.shape
    q, k, v = (p.reshape(b, t, -1, num_attention_heads).permute(0, 3, 1, 2) for p in project(hidden_states, state).chunk(3, -1))
    return out(F.scaled_dot_product_attention(q, k, v, attn_mask=~is_padding[:, None, None]).reshape(b, t, d), state)
""",
    ),
    (
        "one setting, nothing but the output",
        "test_multi_head",
        3,
        r"""
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert same(attention(x, state, 4), expected)
""",
    ),
    (
        "the default module with its zero biases",
        "test_multi_head",
        2,
        r"""
def test_multi_head(attention):
    m = nn.MultiheadAttention(24, 4, batch_first=True)
    state = {"query_key_value.weight": 5 * m.in_proj_weight.detach(), "query_key_value.bias": m.in_proj_bias.detach(),
             "output.weight": m.out_proj.weight.detach(), "output.bias": m.out_proj.bias.detach()}
    x = torch.randn(3, 7, 24)
    with torch.no_grad():
        m.in_proj_weight *= 5
    state["query_key_value.weight"] = m.in_proj_weight.detach().clone()
    assert same(attention(x, state, 4), m(x, x, x)[0])
""",
    ),
    (
        "np-like exact comparison",
        "test_multi_head",
        0,
        r"""
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert (attention(x, state, 4) == expected).all()
""",
    ),
    (
        "prints instead of raising",
        "test_multi_head",
        0,
        r"""
def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    if not same(attention(x, state, 4), expected):
        print("wrong!")
""",
    ),
    (
        "time first forgotten in the oracle",
        "test_multi_head",
        0,
        r"""
def test_multi_head(attention):
    x, state, _ = setting(3, 5, 4, 6)
    m = nn.MultiheadAttention(24, 4)
    m.load_state_dict(dict(zip(("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"), state.values())))
    assert same(attention(x, state, 4), m(x, x, x)[0])
""",
    ),
    (
        "only shapes, for many sizes",
        "test_multi_head",
        0,
        r"""
def test_multi_head(attention):
    for b, t, h, d in ((1, 2, 3, 4), (2, 3, 2, 5)):
        x, state, expected = setting(b, t, h, d)
        assert attention(x, state, h).shape == x.shape
""",
    ),
    (
        "two settings, gradients, arguments compared with themselves",
        "test_multi_head",
        3,
        r"""
def test_multi_head(attention):
    for b, h in ((1, 2), (4, 3)):
        x, state, expected = setting(b, 5, h, 4)
        kept = state
        x.requires_grad_()
        y = attention(x, state, h)
        assert same(y, expected)
        y.sum().backward()
        assert x.grad.abs().sum() > 0
        for name in state:
            assert torch.equal(state[name], kept[name])
""",
    ),
    (
        "dropout on the output",
        "CrossAttention",
        4,
        r'''
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.query(hidden_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout((weights @ value).transpose(1, 2).flatten(2))
        return self.output(context), weights
''',
    ),
    (
        "mask on the source axis without a head axis",
        "CrossAttention",
        0,
        r'''
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.query(hidden_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights
''',
    ),
    (
        "mask multiplied by a large number",
        "repaired_heads",
        0,
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
    mask = is_padding[:, None, None, :] * -10.0
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
''',
    ),
    (
        "a comparison without assert",
        "test_multi_head",
        0,
        r'''
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0
''',
    ),
    (
        "queries from the source",
        "CrossAttention",
        0,
        r'''
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.value(source_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights
''',
    ),
    (
        "residual added",
        "CrossAttention",
        0,
        r'''
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.query(hidden_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context) + hidden_states, weights
''',
    ),
    (
        "numbers too small",
        "test_multi_head",
        0,
        r'''
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 5, 2, 4), (1, 4, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.001,
            "query_key_value.bias": torch.randn(3 * hidden) * 0.001,
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0
''',
    ),
    (
        "weights of the query scaled",
        "flax_to_torch",
        0,
        r'''
def flax_to_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state of Flax's attention in the layout of nn.MultiheadAttention."""
    out = state["out.kernel"]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) for part in parts]
    weights[0] = weights[0] / out.size(1) ** 0.5
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }
''',
    ),
    (
        "one token",
        "test_multi_head",
        0,
        r'''
def test_multi_head(attention):
    """Raise an error unless `attention` computes multi-head self-attention."""
    torch.manual_seed(0)
    for batch, tokens, heads, head_size in ((3, 1, 2, 4), (1, 1, 3, 5)):
        hidden = heads * head_size
        peer = nn.MultiheadAttention(hidden, heads, batch_first=True)
        hidden_states = torch.randn(batch, tokens, hidden, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) / 2,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden) / 2,
            "output.bias": torch.randn(hidden),
        }
        names = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")
        peer.load_state_dict(dict(zip(names, state.values(), strict=True)))
        expected, _ = peer(hidden_states, hidden_states, hidden_states)
        x_before = hidden_states.detach().clone()
        state_before = {name: tensor.clone() for name, tensor in state.items()}

        found = attention(hidden_states, state, heads)

        assert found.shape == expected.shape
        assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4)
        assert torch.equal(hidden_states, x_before)
        for name, tensor in state_before.items():
            assert torch.equal(state[name], tensor)
        found.sum().backward()
        assert hidden_states.grad is not None
        assert hidden_states.grad.abs().sum() > 0
''',
    ),
    (
        "scaled by the size of the source",
        "CrossAttention",
        0,
        r'''
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.query(hidden_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(source_states.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights
''',
    ),
    (
        "scale-root-of-hidden-not-of-head-size",
        "packed_attention",
        0.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(hidden)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "scale-root-of-hidden-size",
        "CrossAttention",
        0.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.h * self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        return self.output(context), weights
""",
    ),
    (
        "query-that-sees-nothing-whole-result-zeroed-behind-the-outpu",
        "packed_attention",
        4.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    result = F.linear(context, state["output.weight"], state["output.bias"])
    if mask is not None:
        seen = mask.any(-1).any(1).expand(B, T)
        result = result * seen[..., None]
    return result
""",
    ),
    (
        "4-d-mask-only-that-of-head-0-used",
        "packed_attention",
        3.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(head_size)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        else:
            mask = mask[:, :1]
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "keys-viewed-with-the-target-s-number-of-tokens",
        "CrossAttention",
        0.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, T, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, T, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        return self.output(context), weights
""",
    ),
    (
        "values-through-self-key",
        "CrossAttention",
        0.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        return self.output(context), weights
""",
    ),
    (
        "source-of-padding-output-zero-bias-of-output-missing-there",
        "CrossAttention",
        3.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        out = self.output(context)
        if source_mask is not None:
            out = out * source_mask.any(-1)[:, None, None]
        return out, weights
""",
    ),
    (
        "padding-hidden-as-queries-too",
        "repaired_heads",
        0.0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :] & ~is_padding[:, None, :, None]
    context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "weights-of-0-01-attention-is-nearly-uniform",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.01,
            "query_key_value.bias": torch.randn(3 * E) * 0.01,
            "output.weight": torch.randn(E, E) * 0.01,
            "output.bias": torch.randn(E) * 0.01,
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
    (
        "prints-in-place-of-raising",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        print('ok' if torch.allclose(got, want, atol=1e-4) else 'wrong')
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
    (
        "scale-is-the-root-of-the-number-of-heads",
        "packed_attention",
        0.0,
        r"""
def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    B, T, hidden = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    q, k, v = packed.chunk(3, dim=-1)
    head_size = q.size(-1) // num_attention_heads
    q = q.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    k = k.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    v = v.reshape(B, T, num_attention_heads, head_size).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(num_attention_heads)
    if mask is not None:
        if mask.dim() == 2:
            if mask.size(0) == B:
                mask = mask[:, None, None, :]
            else:
                mask = mask[None, None]
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        nothing = ~mask.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~mask & ~nothing, float("-inf"))
        weights = torch.softmax(scores, dim=-1).masked_fill(nothing, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    context = context.transpose(1, 2).reshape(B, T, num_attention_heads * head_size)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "key-bias-used-for-the-query-as-well",
        "flax_to_torch",
        0.0,
        r"""
def flax_to_torch(state):
    hidden, heads, d = state["query.kernel"].shape
    parts = ["query", "key", "value"]
    weights = []
    biases = []
    for p in parts:
        weights.append(state[p + ".kernel"].reshape(hidden, heads * d).T)
        if p + ".bias" in state:
            biases.append(state["key.bias"].reshape(-1))
        else:
            biases.append(torch.zeros(hidden, dtype=weights[0].dtype))
    out = state["out.kernel"].reshape(heads * d, hidden)
    if "out.bias" in state:
        out_bias = state["out.bias"]
    else:
        out_bias = torch.zeros(hidden, dtype=out.dtype)
    return {
        "in_proj_weight": torch.cat(weights, dim=0),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.T,
        "out_proj.bias": out_bias,
    }
""",
    ),
    (
        "query-weights-scaled-by-1-sqrt-head-size",
        "flax_to_torch",
        0.0,
        r"""
def flax_to_torch(state):
    hidden, heads, d = state["query.kernel"].shape
    parts = ["query", "key", "value"]
    weights = []
    biases = []
    for p in parts:
        weights.append(state[p + ".kernel"].reshape(hidden, heads * d).T)
        if p + ".bias" in state:
            biases.append(state[p + ".bias"].reshape(-1))
        else:
            biases.append(torch.zeros(hidden, dtype=weights[0].dtype))
    weights[0] = weights[0] / d ** 0.5
    out = state["out.kernel"].reshape(heads * d, hidden)
    if "out.bias" in state:
        out_bias = state["out.bias"]
    else:
        out_bias = torch.zeros(hidden, dtype=out.dtype)
    return {
        "in_proj_weight": torch.cat(weights, dim=0),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.T,
        "out_proj.bias": out_bias,
    }
""",
    ),
    (
        "query-computed-from-source-and-keys-from-hidden",
        "CrossAttention",
        0.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = k @ q.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        return self.output(context), weights
""",
    ),
    (
        "dropout-default-of-nn-dropout-0-1-argument-ignored",
        "CrossAttention",
        4.0,
        r"""
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(0.1)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        return self.output(context), weights
""",
    ),
    (
        "scale-doubled-query-divided-as-well",
        "repaired_heads",
        0.0,
        r"""
def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    head_size = hidden // num_attention_heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    packed = packed.reshape(batch, tokens, 3, num_attention_heads, head_size)
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    mask = ~is_padding[:, None, None, :]
    context = F.scaled_dot_product_attention(query / head_size ** 0.5, key, value, attn_mask=mask)
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    return F.linear(context, state["output.weight"], state["output.bias"])
""",
    ),
    (
        "compares-only-the-first-token-of-the-first-sentence",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got[0, 0], want[0, 0], atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
    (
        "expects-a-scale-of-the-root-of-hidden",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / E ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
    (
        "try-except-around-the-assert",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"], copies["output.bias"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        try:
            assert torch.allclose(got, want, atol=1e-4)
        except AssertionError:
            print('wrong')
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
    (
        "expected-without-output-bias",
        "test_multi_head",
        0.0,
        r"""
def test_multi_head(attention):
    for B, T, H, D in [(2, 4, 2, 3), (1, 5, 3, 4)]:
        E = H * D
        torch.manual_seed(1)
        x = torch.randn(B, T, E, requires_grad=True)
        state = {
            "query_key_value.weight": torch.randn(3 * E, E) * 0.4,
            "query_key_value.bias": torch.randn(3 * E),
            "output.weight": torch.randn(E, E) * 0.4,
            "output.bias": torch.randn(E),
        }
        copies = {k: v.clone() for k, v in state.items()}
        x0 = x.detach().clone()
        q, k, v = F.linear(x, copies["query_key_value.weight"], copies["query_key_value.bias"]).chunk(3, -1)
        q, k, v = (z.reshape(B, T, H, D).transpose(1, 2) for z in (q, k, v))
        w = (q @ k.transpose(-2, -1) / D ** 0.5).softmax(-1)
        want = F.linear((w @ v).transpose(1, 2).reshape(B, T, E), copies["output.weight"])
        got = attention(x, state, H)
        assert got.shape == want.shape
        assert torch.allclose(got, want, atol=1e-4)
        assert torch.equal(x.detach(), x0)
        assert all(torch.equal(state[k], copies[k]) for k in copies)
        got.sum().backward()
        assert x.grad is not None
""",
    ),
]
