# einsum with own parameters
# points: 4

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
