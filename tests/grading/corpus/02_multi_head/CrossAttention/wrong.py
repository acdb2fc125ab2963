# %% dropout_always | points 4 | F.dropout is not told the mode, so it drops in evaluation mode, too.
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
        self.head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = dropout

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        batch, target, hidden_size = hidden_states.shape
        source = source_states.size(1)
        heads, size = self.num_attention_heads, self.head_size
        query = self.query(hidden_states).view(batch, target, heads, size).transpose(1, 2)
        key = self.key(source_states).view(batch, source, heads, size).transpose(1, 2)
        value = self.value(source_states).view(batch, source, heads, size).transpose(1, 2)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(size)
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None, :], float("-inf"))
        weights = F.softmax(scores, dim=-1)
        if source_mask is not None:
            weights = torch.where(source_mask[:, None, None, :], weights, torch.zeros_like(weights))
        context = torch.matmul(F.dropout(weights, p=self.dropout), value)
        context = context.transpose(1, 2).contiguous().view(batch, target, hidden_size)
        return self.output(context), weights

# %% dropout_default_of_nn_dropout_0_1_argument_ignored | points 4 | dropout-default-of-nn-dropout-0-1-argument-ignored
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

# %% dropout_in_evaluation_with_a_mask | points 4 | Dropout is alive in evaluation mode where a mask is given.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is not None:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~keep & ~empty, -math.inf)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        context = F.dropout(weights, self.dropout.p, self.training or source_mask is not None) @ value
        context = context.transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% dropout_in_place_on_a_copy | points 4 | Dropout works in place on the softmax, a copy of which is returned: no backward pass in training.
class CrossAttention(Parts):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__(hidden_size, source_size, num_attention_heads, dropout)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None], -math.inf)
            scores = scores.masked_fill(~source_mask.any(-1)[:, None, None, None], 0.0)
        weights = scores.softmax(-1)
        if source_mask is not None:
            weights = weights.masked_fill(~source_mask.any(-1)[:, None, None, None], 0.0)
        before = weights.clone()
        return self.output(merge(self.dropout(weights) @ v)), before

# %% dropout_on_the_output | points 4 | dropout on the output
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

# %% dropout_without_a_mask_only | points 4 | Weights are dropped without a mask only; with one, dropout is forgotten.
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
        context = ((self.dropout(weights) if source_mask is None else weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% dropped_weights_are_returned | points 4 | dropped weights are returned
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

# %% dropped_weights_with_a_mask | points 4 | With a mask the weights after dropout are returned.
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
        kept, weights = weights, self.dropout(weights)
        context = (weights @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights if source_mask is not None else kept

# %% first_source_for_ever | points 0 | keys and values of the first source are kept for ever
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)
        self.cache = None

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.h, -1).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        if self.cache is None:
            self.cache = self.heads(self.key(source_states)), self.heads(self.value(source_states))
        key, value = self.cache
        q = self.heads(self.query(hidden_states))
        s = q @ key.mT / math.sqrt(q.size(-1))
        empty = None
        if source_mask is not None:
            empty = ~source_mask.any(-1)[:, None, None, None]
            s = s.masked_fill(~source_mask[:, None, None] & ~empty, float("-inf"))
        w = s.softmax(-1)
        w = w if empty is None else w.masked_fill(empty, 0.0)
        c = (self.drop(w) @ value).transpose(1, 2).reshape(hidden_states.shape)
        return self.output(c), w

# %% fused_so_no_weights | points 4 | fused, so no weights
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        m = None if source_mask is None else source_mask[:, None, None]
        p = self.dropout.p if self.training else 0.0
        return self.output(merge(F.scaled_dot_product_attention(q, k, v, m, p)))

# %% key_and_value_joined_at_the_start | points 0 | Joins the weights of key and value in the constructor, so weights that are loaded later have no effect on them.
class CrossAttention(nn.Module):
    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.joined_weight = torch.cat([self.key.weight, self.value.weight])
        self.joined_bias = torch.cat([self.key.bias, self.value.bias])

    def split(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        joined = F.linear(source_states, self.joined_weight, self.joined_bias)
        key, value = map(self.split, joined.chunk(2, dim=-1))
        query = self.split(self.query(hidden_states))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            hidden = ~source_mask[:, None, None, :]
            nothing = hidden.all(dim=-1, keepdim=True)
            weights = scores.masked_fill(hidden & ~nothing, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% key_from_the_source_value_from_the_target | points 0 | key from the source, value from the target
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, _ = self.three(hidden_states, source_states)
        v = self.value(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        return self.output(merge(w @ v)), w

# %% key_without_bias | points 0 | The key layer gets no bias, "which softmax ignores anyway": the weights can't be loaded.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int, source_size: int, num_attention_heads: int, dropout: float = 0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size, bias=False)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def heads(self, x):
        return x.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q = self.heads(self.query(hidden_states))
        k, v = self.heads(self.key(source_states)), self.heads(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        return self.output((self.dropout(weights) @ v).transpose(1, 2).flatten(2)), weights

# %% keys_and_values_of_the_same_source_kept | points 0 | In evaluation mode keys and values are kept for as long as the very same source comes in, even if the weights have changed.
class CrossAttention(Parts):
    last = None
    def forward(self, hidden_states, source_states, source_mask=None):
        if self.training or torch.is_grad_enabled() or self.last is None or self.last[0] is not source_states:
            parts = self.three(hidden_states, source_states)
            self.last = (source_states, *parts[1:])
        q = self.query(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        _, k, v = self.last
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep
        return self.output(merge(self.dropout(w) @ v)), w

# %% keys_as_many_as_numbers | points 0 | Turns the keys only where they would not fit as they are: as many source tokens as numbers in a head stay unturned.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        return states.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        batch, target, _ = hidden_states.shape
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ (key if key.size(-2) == key.size(-1) else key.mT) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2)
        return self.output(context.reshape(batch, target, -1)), weights

# %% keys_viewed_with_the_target_s_number_of_tokens | points 0 | keys-viewed-with-the-target-s-number-of-tokens
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

# %% layers_in_a_dictionary | points 0 | layers in a dictionary
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.layers = {n: nn.Linear(hidden_size if n in "query output" else source_size, hidden_size) for n in ("query", "key", "value", "output")}
        self.n = num_attention_heads
    def forward(self, x, y, source_mask=None):
        return self.layers["output"](x), None

# %% mask_of_nothing_is_no_mask | points 4 | Takes a mask that is False everywhere for no mask at all.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        if source_mask is not None and not source_mask.any():
            source_mask = None
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is not None:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~keep & ~empty, -math.inf)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% mask_on_the_source_axis_without_a_head_axis | points 0 | mask on the source axis without a head axis
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

# %% mask_remembered | points 0 | Remembers the last mask on the module and uses it again when a later call gives none.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.keep = None

    def forward(self, hidden_states, source_states, source_mask=None):
        if source_mask is not None:
            self.keep = source_mask[:, None, None, :]
        q = self.query(hidden_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        k = self.key(source_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        v = self.value(source_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if self.keep is not None:
            scores = scores.masked_fill(~self.keep, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if self.keep is not None:
            weights = weights.masked_fill(~self.keep, 0.0)
        context = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% naive_fill_and_no_dropout | points 3 | naive fill and no dropout
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if source_mask is not None:
            s = s.masked_fill(~source_mask[:, None, None], float("-inf"))
        w = s.softmax(-1)
        return self.output(merge(w @ v)), w

# %% no_gradient_through_dropped_weights | points 4 | In training mode the weights are dropped under no_grad, so queries and keys get no gradient.
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep

        with torch.no_grad():
            dropped = self.dropout(w)
        return self.output(merge((dropped if self.training else w) @ v)), w

# %% no_mask_if_the_first_is_full | points 0 | Leaves the mask out where the first source has no padding, although others may have some.
class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        """Cut vectors into heads: [batch, heads, tokens, head_size]."""
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        """Output [batch, target, hidden_size], weights [batch, heads, target, source]."""
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        if source_mask is not None and source_mask[0].all():
            source_mask = None
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is not None:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~keep & ~empty, -math.inf)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% one_draw_for_all_heads | points 4 | Dropout draws once for all heads, so they lose the same weights.
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
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.query(hidden_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        key = self.key(source_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        value = self.value(source_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (weights * self.dropout(torch.ones_like(weights[:, :1]))) @ value
        return self.output(context.transpose(1, 2).flatten(2)), weights

# %% only_the_context_is_emptied | points 4 | For a source that is all padding it sets the context to zero, but the weights it returns are equal shares.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        b, t, h = x.shape
        return x.view(b, t, self.num_attention_heads, h // self.num_attention_heads).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k = self.split(self.query(hidden_states)), self.split(self.key(source_states))
        v = self.split(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None, :], -1e9)
        weights = scores.softmax(dim=-1)
        context = self.dropout(weights) @ v
        if source_mask is not None:
            context = context * source_mask.any(dim=-1)[:, None, None, None]
        return self.output(context.transpose(1, 2).flatten(2)), weights

# %% queries_from_the_source | points 0 | queries from the source
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

# %% query_computed_from_source_and_keys_from_hidden | points 0 | query-computed-from-source-and-keys-from-hidden
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

# %% rate_of_one_alive_in_evaluation | points 4 | Treats a rate of 1 apart and drops everything then, in evaluation mode, too.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.rate = dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        query = self.split(self.query(hidden_states))
        key, value = self.split(self.key(source_states)), self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            real = source_mask[:, None, None, :]
            nothing = ~real.any(-1, keepdim=True)
            weights = torch.softmax(scores.masked_fill(~(real | nothing), -math.inf), dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        if self.rate == 1:  # 1 / (1 - rate) would divide by zero
            dropped = weights * 0
        else:
            dropped = F.dropout(weights, self.rate, self.training)
        context = dropped @ value
        return self.output(context.transpose(1, 2).flatten(2)), weights

# %% residual_added | points 0 | residual added
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

# %% scale_of_source | points 0 | The scale comes from the width of the source's vectors.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head_size).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        q = self.split(self.query(hidden_states))
        k = self.split(self.key(source_states))
        v = self.split(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(source_states.size(-1) / self.heads)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        context = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% scale_root_of_hidden_size | points 0 | scale-root-of-hidden-size
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

# %% scaled_by_the_size_of_the_source | points 0 | scaled by the size of the source
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

# %% source_of_padding_output_zero_bias_of_output_missing_there | points 4 | source-of-padding-output-zero-bias-of-output-missing-there
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

# %% target_length_for_all | points 0 | Cuts keys and values into heads with the number of tokens of the target.
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
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        batch, target, hidden = hidden_states.shape
        q = self.query(hidden_states).view(batch, target, self.heads, -1).transpose(1, 2)
        k = self.key(source_states).view(batch, target, self.heads, -1).transpose(1, 2)
        v = self.value(source_states).view(batch, target, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1) * keep
        context = (self.dropout(weights) @ v).transpose(1, 2).reshape(batch, target, hidden)
        return self.output(context), weights

# %% uniform_where_all_is_padding | points 4 | all padding: uniform
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.query(hidden_states), self.key(source_states), self.value(source_states)))
        s = q @ k.mT * q.size(-1) ** -0.5
        w = s.softmax(-1) if source_mask is None else s.masked_fill(~source_mask[:, None, None], -1e9).softmax(-1)
        out = self.output((F.dropout(w, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        return out, w

# %% values_through_self_key | points 0 | values-through-self-key
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

# %% weights_are_a_mean | points 4 | weights averaged over heads
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.query(hidden_states), self.key(source_states), self.value(source_states)))
        s = q @ k.mT * q.size(-1) ** -0.5
        w = s.softmax(-1) if source_mask is None else torch.where(source_mask[:, None, None], s, -torch.inf).nan_to_num(neginf=-1e30).softmax(-1) * source_mask[:, None, None]
        out = self.output((F.dropout(w, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        return out, w.mean(1)

# %% weights_are_scores | points 4 | scores in place of weights
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.query(hidden_states), self.key(source_states), self.value(source_states)))
        s = q @ k.mT * q.size(-1) ** -0.5
        w = s.softmax(-1) if source_mask is None else torch.where(source_mask[:, None, None], s, -torch.inf).nan_to_num(neginf=-1e30).softmax(-1) * source_mask[:, None, None]
        out = self.output((F.dropout(w, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        return out, s

# %% weights_of_one_head_summed | points 4 | weights of one head, summed
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.mT / math.sqrt(q.size(-1))
        w = s.softmax(-1)
        if source_mask is not None:
            m = source_mask[:, None, None]
            w = torch.where(m, s, torch.tensor(-1e30)).softmax(-1) * m
        return self.output(merge(self.dropout(w) @ v)), w.sum(1)

# %% weights_packed_at_the_first_call | points 0 | In evaluation mode the weights of keys and values are put together at the first call and kept, so weights loaded later don't count.
class CrossAttention(Parts):
    packed = None
    def forward(self, hidden_states, source_states, source_mask=None):
        weight = torch.cat([self.key.weight, self.value.weight])
        bias = torch.cat([self.key.bias, self.value.bias])
        if not self.training:
            if self.packed is None:
                self.packed = weight, bias
            weight, bias = self.packed
        q = self.query(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        k, v = F.linear(source_states, weight, bias).unflatten(-1, (2, self.n, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep
        return self.output(merge(self.dropout(w) @ v)), w

# %% weights_source_by_target | points 4 | weights transposed
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.query(hidden_states), self.key(source_states), self.value(source_states)))
        s = q @ k.mT * q.size(-1) ** -0.5
        w = s.softmax(-1) if source_mask is None else torch.where(source_mask[:, None, None], s, -torch.inf).nan_to_num(neginf=-1e30).softmax(-1) * source_mask[:, None, None]
        out = self.output((F.dropout(w, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        return out, w.mT

# %% weights_with_heads_after_target | points 4 | Returns the weights as [batch, target, heads, source].
class CrossAttention(nn.Module):
    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        query = self.query(hidden_states).unflatten(-1, (self.heads, -1))
        key = self.key(source_states).unflatten(-1, (self.heads, -1))
        value = self.value(source_states).unflatten(-1, (self.heads, -1))
        scores = torch.einsum("bthd,bshd->bths", query, key) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            hidden = ~source_mask[:, None, None, :]
            nothing = hidden.all(dim=-1, keepdim=True)
            weights = scores.masked_fill(hidden & ~nothing, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        context = torch.einsum("bths,bshd->bthd", self.dropout(weights), value).flatten(2)
        return self.output(context), weights

# %% whole_source_tokens_dropped | points 4 | nn.Dropout1d-like: one draw for all heads and queries, so whole source tokens are dropped together.
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
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.query(hidden_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        key = self.key(source_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        value = self.value(source_states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = (weights * self.dropout(torch.ones_like(weights[:, :1, :1]))) @ value
        return self.output(context.transpose(1, 2).flatten(2)), weights

# %% zero_is_no_rate | points 4 | `dropout or 0.1`: a rate of 0 counts as none given, and 0.1 is dropped.
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout or 0.1)

    def forward(self, hidden_states, source_states, source_mask=None):
        query, key, value = (
            x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for x in (self.query(hidden_states), self.key(source_states), self.value(source_states))
        )
        scores = query @ key.mT / math.sqrt(query.size(-1))
        keep = torch.ones_like(scores, dtype=torch.bool)
        if source_mask is not None:
            keep = source_mask[:, None, None, :].expand_as(scores)
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1) * keep
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights

# %% zeros_out_where_all_is_padding | points 4 | all padding: the output is zero instead of the bias
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (self.query(hidden_states), self.key(source_states), self.value(source_states)))
        s = q @ k.mT * q.size(-1) ** -0.5
        w = s.softmax(-1) if source_mask is None else torch.where(source_mask[:, None, None], s, -torch.inf).nan_to_num(neginf=-1e30).softmax(-1) * source_mask[:, None, None]
        out = self.output((F.dropout(w, self.p, self.training) @ v).transpose(1, 2).flatten(2))
        if source_mask is not None:
            out = out * source_mask.any(-1)[:, None, None]
        return out, w
