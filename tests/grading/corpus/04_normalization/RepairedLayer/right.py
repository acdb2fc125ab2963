# %% dropout_module | points 4 | Dropout module
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_modules_and_helper | points 4 | dropout modules and helper
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm_first = norm_first
        self.norm1, self.norm2 = (nn.LayerNorm(hidden_size, eps=eps) for _ in range(2))
        self.drop = nn.Dropout(dropout)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
    def forward(self, x):
        parts = [(self.norm1, lambda h: self.self_attn(h, h, h)[0]), (self.norm2, lambda h: self.linear2(self.linear1(h).relu()))]
        for norm, f in parts:
            x = x + self.drop(f(norm(x))) if self.norm_first else norm(x + self.drop(f(x)))
        return x

# %% f_layer_norm | points 4 | F.layer_norm
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = F.layer_norm(x + self.attend(x), x.shape[-1:], self.norm1.weight, self.norm1.bias, self.norm1.eps)
        return self.norm2(x + self.feed_forward(x))

# %% inherits_broken | points 4 | inherits broken
class RepairedLayer(BrokenLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.norm2.eps = eps
        self.p = dropout
    def forward(self, x):
        self.dropout = self.p if self.training else 0.0
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% inherits_from_torch | points 4 | inherits from torch
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout=dropout, layer_norm_eps=eps, batch_first=True, norm_first=norm_first)

# %% library_keywords | points 4 | library keywords
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(d_model=hidden_size, nhead=num_heads, dim_feedforward=width, dropout=dropout, activation=F.relu, layer_norm_eps=eps, batch_first=True, norm_first=norm_first)

# %% need_weights | points 4 | need_weights
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=True)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% nn_dropout_modules_and_residual_helper_other_order | points 4 | nn-dropout-modules-and-residual-helper-other-order
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm2, self.norm1 = nn.LayerNorm(hidden_size, eps=eps), nn.LayerNorm(hidden_size, eps=eps)
        self.linear2, self.linear1 = nn.Linear(width, hidden_size), nn.Linear(hidden_size, width)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, dropout=dropout, batch_first=True)
        self.drop_a, self.drop_b = nn.Dropout(dropout), nn.Dropout(dropout)
        self.first = norm_first
    def forward(self, x):
        for f, norm, drop in ((lambda z: self.self_attn(z, z, z)[0], self.norm1, self.drop_a),
                              (lambda z: self.linear2(self.linear1(z).relu()), self.norm2, self.drop_b)):
            x = x + drop(f(norm(x))) if self.first else norm(x + drop(f(x)))
        return x

# %% subclass_of_the_library_layer | points 4 | subclass-of-the-library-layer
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, norm_first=norm_first, layer_norm_eps=eps)
