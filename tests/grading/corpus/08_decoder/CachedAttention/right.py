# %% a_buffer_with_the_whole_mask | points 4 | a buffer with the whole mask
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

# %% a_list_as_cache_keys_kept_transposed_inside | points 4 | a list as cache, keys kept transposed inside
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

# %% bare_parameters_a_mask_to_be_added | points 4 | bare parameters, a mask to be added
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

# %% einsum_and_a_comparison_of_places | points 4 | einsum and a comparison of places
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

# %% einsum_with_own_parameters | points 4 | einsum with own parameters
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

# %% fused_is_causal_only_without_a_cache | points 4 | fused, is_causal only without a cache
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

# %% mask_of_max_positions | points 4 | a mask as large as max_positions
class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        self.register_buffer("hide", torch.ones(max_positions, max_positions).triu(1).bool(), persistent=False)

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

# %% token_by_token | points 4 | token by token
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

# %% token_by_token_whatever_comes | points 4 | token by token whatever comes
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
