# %% a_cache_that_is_one_tensor | points 3 | a cache that is one tensor
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
        return self.output(o), torch.stack([k, v])

# %% a_residual_connection | points 0 | a residual connection
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
        return x + self.output(o), (k, v)

# %% adds_positions_in_place | points 0 | adds the positions to x in place, without gradients
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""

        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(-2)
        with torch.no_grad():
            x += self.positions.weight[seen : seen + new]
        q, k, v = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=-2), torch.cat([cache[1], v], dim=-2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (k, v)

# %% adds_the_positions_to_the_callers_x | points 0 | adds the positions to the caller's x
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
        x.data += self.positions.weight[seen:seen + n]
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

# %% buffer_in_the_module | points 3 | a buffer in the module; of the cache only the length is read
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads
        self.max_positions = max_positions
        self.buffer = None

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""

        batch, new, hidden = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        size = hidden // self.num_heads
        if cache is None:  # a new text: make room for all of it at once
            shape = (2, batch, self.num_heads, self.max_positions, size)
            self.buffer = torch.zeros(shape, dtype=x.dtype)
        x = x + self.positions.weight[seen : seen + new]
        q, k, v = self.query_key_value(x).view(batch, new, 3, self.num_heads, size).permute(2, 0, 3, 1, 4)
        buffer = self.buffer.clone()
        buffer[0, :, :, seen : seen + new] = k
        buffer[1, :, :, seen : seen + new] = v
        self.buffer = buffer
        key, value = buffer[:, :, :, : seen + new]
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        out = F.scaled_dot_product_attention(q, key, value, attn_mask=allowed)
        return self.output(out.transpose(1, 2).flatten(2)), (key, value)

# %% cache_as_value_and_key | points 3 | cache as value and key
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
            k = torch.cat([cache[1], k], 2)
            v = torch.cat([cache[0], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (v, k)

# %% cache_before_bias | points 0 | cache before bias
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

# %% cache_before_output | points 0 | cache before output
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
        return (k, v), self.output(o)

# %% cache_detached_in_evaluation_mode | points 3 | detaches the cache in evaluation mode
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.num_heads = num_heads
        self.max_positions = max_positions
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, cache=None):
        batch, new, hidden = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        x = x + self.positions.weight[past:past + new]
        mixed = self.query_key_value(x).view(batch, new, 3, self.num_heads, -1)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        cache = (key, value) if self.training else (key.detach(), value.detach())
        allowed = torch.ones(new, past + new, dtype=torch.bool, device=x.device).tril(past)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        context = (weights @ value).transpose(1, 2).reshape(batch, new, hidden)
        return self.output(context), cache

# %% cache_grows_in_place_without_gradients | points 3 | Without gradients the cache that it is given grows in place.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
            if not torch.is_grad_enabled():
                cache[0].set_(key)
                cache[1].set_(value)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% cache_kept_in_the_module | points 3 | cache kept in the module
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

# %% cache_with_heads_not_split | points 3 | cache with heads not split
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
        seen = 0 if cache is None else cache[0].size(1)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0].view(b, seen, h, -1).transpose(1, 2), k], 2)
            v = torch.cat([cache[1].view(b, seen, h, -1).transpose(1, 2), v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k.transpose(1, 2).flatten(2), v.transpose(1, 2).flatten(2))

# %% cache_with_tokens_before_heads | points 3 | cache with tokens before heads
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
        seen = 0 if cache is None else cache[0].size(1)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0].transpose(1, 2), k], 2)
            v = torch.cat([cache[1].transpose(1, 2), v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k.transpose(1, 2), v.transpose(1, 2))

# %% cached_tokens_are_forgotten | points 0 | cached tokens are forgotten
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
        new = (k, v)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), new

# %% caches_the_inputs_and_computes_all_again | points 3 | caches the inputs and computes all again
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        new = x.size(1)
        if cache is not None:
            x = torch.cat([cache[0], x], 1)
        text = x
        b, n, d = x.shape
        h = self.num_heads
        seen = 0
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o)[:, -new:], (text, text)

# %% counter_in_the_module | points 3 | counter in the module
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

# %% counts_the_calls_as_tokens | points 2 | counts the calls as tokens
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
        if cache is None:
            self.seen = 0
        seen = self.seen
        self.seen += n if cache is None else 1
        x = x + self.positions.weight[seen:seen + 1 if cache is not None else n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, k.size(2), dtype=torch.bool).tril(k.size(2) - n)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% counts_the_heads_as_tokens | points 0 | counts the heads as tokens
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
        seen = 0 if cache is None else cache[0].size(1)
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

# %% counts_the_tokens_in_the_module | points 3 | counts the tokens in the module
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
        if cache is None:
            self.seen = 0
        seen = self.seen
        self.seen += n
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, k.size(2), dtype=torch.bool).tril(k.size(2) - n)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% dropout | points 0 | dropout
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
        p = F.dropout(p, 0.1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% dropout_of_the_weights | points 0 | dropout of a tenth in training
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (F.dropout(w, 0.1, self.training) @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% eval_no_mask | points 3 | In evaluation mode the mask is left out where there is a cache.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed if self.training or cache is None else None)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% goes_on_without_a_cache | points 0 | where no cache is given, the class goes on with the last one of any text
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    kept = None

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        result = self.run(x, CachedAttention.kept if cache is None else cache)
        CachedAttention.kept = tuple(part.detach() for part in result[1])
        return result

    def run(self, x, cache):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% gradients_only_if_x_wants_them | points 3 | Gradients are switched off when the new tokens require none, though the weights and the cache do.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        with torch.set_grad_enabled(x.requires_grad):
            return self.real(x, cache)

    def real(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% head_size_before_heads | points 0 | head size before heads
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
        q = q.view(b, n, d // h, h).permute(0, 3, 1, 2)
        k = k.view(b, n, d // h, h).permute(0, 3, 1, 2)
        v = v.view(b, n, d // h, h).permute(0, 3, 1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% heads_not_brought_back | points 0 | heads not brought back
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
        o = (p @ v).reshape(b, n, d)
        return self.output(o), (k, v)

# %% heads_of_the_class | points 3 | the number of heads belongs to the class, so that the layer made last decides it for all
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        type(self).num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% inputs_by_place | points 3 | remembers what it was given at these places
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        self.seen = {}

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = self.seen.setdefault((n, T), x + self.positions.weight[n:n + T])
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% is_causal_of_pytorch_always | points 0 | is_causal of PyTorch always
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
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% is_causal_of_pytorch_whenever_more_than_one_is_new | points 3 | is_causal of PyTorch whenever more than one is new
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
        o = F.scaled_dot_product_attention(q, k, v, is_causal=n > 1).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% joined_along_the_heads | points 0 | joined along the heads
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
            k = torch.cat([cache[0], k], 1)
            v = torch.cat([cache[1], v], 1)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% keys_ask | points 0 | keys in place of queries
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = k[:, :, -T:] @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% keys_first | points 0 | keys first
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
        k, q, v = self.query_key_value(x).chunk(3, -1)
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

# %% keys_mixed | points 0 | keys are mixed, not values
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ k).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% last_mask_kept_if_it_fits | points 3 | The last mask is used again if it has as many keys.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        if getattr(self, "mask", None) is None or self.mask.size(-1) != seen + new:
            self.mask = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        allowed = self.mask
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% mask_kept_by_keys | points 3 | The mask is kept by the number of keys, whatever the new tokens are.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        self.masks = getattr(self, "masks", {})
        allowed = self.masks.setdefault(seen + new, torch.ones(new, seen + new, dtype=torch.bool).tril(seen))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% mask_of_eight | points 0 | a mask of 8 by 8
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        self.register_buffer("hide", torch.ones(8, 8).triu(1).bool(), persistent=False)

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(self.hide[n:n + T, :n + T], -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% mask_turned_round | points 0 | mask turned round
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
        p = scores.masked_fill(mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% mask_without_the_cache_offset | points 0 | mask without the cache offset
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
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril()
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% masked_after_the_softmax | points 0 | masked after the softmax
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
        p = scores.softmax(-1).masked_fill(~mask, 0)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% masked_with_zero | points 0 | masked with zero
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
        p = scores.masked_fill(~mask, 0).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% may_not_see_itself | points 0 | may not see itself
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
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen - 1)
        p = scores.masked_fill(~mask, -1e9).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% new_tokens_before_the_old_ones | points 2 | new tokens before the old ones
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
            k = torch.cat([k, cache[0]], 2)
            v = torch.cat([v, cache[1]], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% new_tokens_see_only_the_cache_and_themselves | points 3 | new tokens see only the cache and themselves
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
        mask = torch.cat([torch.ones(n, seen), torch.eye(n) if seen else torch.ones(n, n).tril()], 1).bool()
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% no_bias | points 0 | no bias
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size, bias=False)
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

# %% no_cache_for_the_first_piece | points 0 | no cache for the first piece
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
        return self.output(o), None if cache is None else (k, v)

# %% no_mask | points 0 | no mask
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
        p = scores.softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% no_mask_once_there_is_a_cache | points 3 | no mask once there is a cache
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
        if cache is None:
            scores = scores.masked_fill(~mask, -math.inf)
        p = scores.softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% no_output_map | points 0 | no output map
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
        return o, (k, v)

# %% no_positions | points 0 | no positions
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

# %% no_positions_in_values | points 0 | no positions in values
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

# %% no_scale | points 0 | no scale
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
        scores = q @ k.transpose(2, 3)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% one_head | points 0 | one head
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

# %% one_head_has_no_axis_in_the_cache | points 3 | With a single head the cache has no axis for heads.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        batch, new, hidden = x.shape
        past = 0 if cache is None else cache[0].shape[-2]
        x = x + self.positions(torch.arange(past, past + new))
        query, key, value = self.query_key_value(x).chunk(3, dim=-1)
        if self.num_heads > 1:
            shape = (batch, new, self.num_heads, self.head_size)
            query, key, value = [part.reshape(shape).transpose(1, 2) for part in (query, key, value)]
        if cache is not None:
            key = torch.cat([cache[0], key], dim=-2)
            value = torch.cat([cache[1], value], dim=-2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_size)
        seen = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        mixed = scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ value
        if self.num_heads > 1:
            mixed = mixed.transpose(1, 2).reshape(batch, new, hidden)
        return self.output(mixed), (key, value)

# %% only_keys_are_cached | points 0 | only keys are cached
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
            v = torch.cat([v.new_zeros(cache[1].shape), v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% only_last_output | points 3 | only last output
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

# %% only_the_first_new_token_of_a_chunk_is_read | points 3 | only the first new token of a chunk is read
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        if cache is not None:
            x = x[:, :1]
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

# %% only_the_output | points 0 | only the output
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
        return self.output(o)

# %% other_names | points 0 | other names
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.qkv = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.qkv(x).chunk(3, -1)
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

# %% output_for_the_whole_text | points 0 | output for the whole text
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        if cache is not None:
            x = torch.cat([cache[0], x], 1)
        text = x
        b, n, d = x.shape
        h = self.num_heads
        seen = 0
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (text, text)

# %% piece_shares_one_position | points 3 | With a cache all tokens of the new piece get the position of its first one.
class CachedAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.max_positions = max_positions
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        new = x.shape[1]
        if cache is None:
            past, rows = 0, self.positions.weight[:new]
        else:
            past = cache[0].shape[2]
            rows = self.positions.weight[past]
        query, key, value = map(self.heads, self.query_key_value(x + rows).chunk(3, dim=-1))
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        mixed = scores.masked_fill(~mask, -math.inf).softmax(-1) @ value
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% position_by_total_from_end | points 3 | position by total from end
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

# %% positions_after_attention | points 0 | positions are added to what attention gives
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y + self.positions.weight[n:n + T]), (k, v)

# %% positions_after_the_projection | points 0 | positions after the projection
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
        return self.output(o) + self.positions.weight[seen:seen + n], (k, v)

# %% positions_begin_again_with_each_piece | points 0 | positions begin again with each piece
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
        x = x + self.positions.weight[:n]
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

# %% positions_detached | points 3 | Reads the table of positions through .data, so it gets no gradients.
class CachedAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        b, n, h = x.shape
        start = 0 if cache is None else cache[0].shape[2]
        x = x + self.positions.weight.data[start : start + n]
        qkv = self.query_key_value(x).view(b, n, 3, self.num_heads, self.head_size)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.head_size**0.5
        future = torch.arange(start + n)[None, :] > torch.arange(start, start + n)[:, None]
        scores = scores.masked_fill(future, float("-inf"))
        y = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(dim=-1), v)
        return self.output(y.reshape(b, n, h)), (k, v)

# %% positions_for_equal_pieces | points 3 | counts the pieces read so far times the size of this piece, which gives wrong positions when the sizes differ
class CachedAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        new = x.shape[1]
        past = 0 if cache is None else cache[0].shape[2]
        start = past // new * new
        x = x + self.positions.weight[start : start + new]
        query, key, value = map(self.split, self.query_key_value(x).chunk(3, dim=-1))
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        heads = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.output(heads.transpose(1, 2).flatten(2)), (key, value)

# %% positions_into_x | points 0 | positions are written into x
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x.add_(self.positions.weight[n:n + T].detach())
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% positions_off_by_one | points 0 | positions off by one
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

# %% positions_one_too_far_with_a_cache | points 0 | positions one too far with a cache
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
        start = seen + 1 if seen else 0
        x = x + self.positions.weight[start:start + n]
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

# %% positions_subtracted | points 0 | positions subtracted
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

# %% residual | points 0 | residual
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

# %% root_multiplies | points 0 | the root multiplies
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT * (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% root_of_the_keys | points 0 | the root of the number of keys
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = q @ k.mT / k.shape[2] ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)

# %% scale_after_softmax | points 0 | scale after softmax
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

# %% scaled_by_the_hidden_size | points 0 | scaled by the hidden size
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
        scores = q @ k.transpose(2, 3) / math.sqrt(d)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% seen_from_heads_axis | points 0 | seen from heads axis
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

# %% softmax_over_heads | points 0 | softmax over heads
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

# %% softmax_over_the_queries | points 0 | softmax over the queries
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
        p = scores.masked_fill(~mask, -math.inf).softmax(-2)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% starts_at_one | points 0 | starts at one
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

# %% text_kept_without_gradients | points 3 | Without gradients the layer goes on where the text before stopped.
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        if not torch.is_grad_enabled():
            cache = getattr(self, "kept", None) if cache is None else cache
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        if not torch.is_grad_enabled():
            self.kept = (key, value)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)

# %% the_cache_is_cut_from_the_graph | points 3 | the cache is cut from the graph
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
        return self.output(o), (k.detach(), v.detach())

# %% the_cache_is_never_used | points 0 | the cache is never used
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
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, n, dtype=torch.bool).tril()
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% the_last_position_for_all_new_tokens | points 3 | the last position for all new tokens
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
        x = x + (self.positions.weight[:n] if cache is None else self.positions.weight[seen])
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

# %% the_module_keeps_the_text | points 3 | the module keeps the text
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads
        self.k = self.v = None

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if self.k is None else self.k.size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if self.k is not None:
            k = torch.cat([self.k, k], 2)
            v = torch.cat([self.v, v], 2)
        self.k, self.v = k, v
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% the_module_keeps_the_text_until_a_call_without_cache | points 3 | the module keeps the text until a call without cache
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
        if cache is None:
            self.k = self.v = None
        seen = 0 if self.k is None else self.k.size(2)
        x = x + self.positions.weight[seen:seen + n]
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if self.k is not None:
            k = torch.cat([self.k, k], 2)
            v = torch.cat([self.v, v], 2)
        self.k, self.v = k, v
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% thirds_within_each_head | points 0 | thirds within each head
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
        q, k, v = self.query_key_value(x).view(b, n, h, 3, d // h).permute(3, 0, 2, 1, 4)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% value_key_order | points 0 | value key order
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

# %% values_without_positions | points 0 | values without positions
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
        y = x
        x = x + self.positions.weight[seen:seen + n]
        q, k, _ = self.query_key_value(x).chunk(3, -1)
        v = self.query_key_value(y).chunk(3, -1)[2]
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

# %% view_instead_of_transpose | points 0 | view instead of transpose
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
        q = q.reshape(b, h, n, d // h)
        k = k.reshape(b, h, n, d // h)
        v = v.reshape(b, h, n, d // h)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% without_gradients | points 3 | without gradients
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    @torch.no_grad()
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

# %% writes_into_the_callers_cache | points 3 | writes into the caller's cache
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
            cache[0].data = torch.cat([cache[0], k], 2)
            cache[1].data = torch.cat([cache[1], v], 2)
            k, v = cache
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)

# %% x_detached | points 3 | the input is cut off from autograd
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        x = x.detach().clone()
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x += self.positions.weight[seen : seen + new]
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.query_key_value(x).chunk(3, -1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        ok = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        return self.output(F.scaled_dot_product_attention(q, k, v, ok).transpose(1, 2).flatten(2)), (k, v)
