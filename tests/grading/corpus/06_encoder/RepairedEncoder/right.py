# %% a_float_mask_of_minus_10000 | points 4 | a float mask of −10000
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

# %% additive_attention_mask | points 4 | additive attention mask
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

# %% mask_batch_heads_query_key | points 4 | mask [batch * heads, query, key]
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

# %% nn_transformerencoder_inside | points 4 | nn.TransformerEncoder inside
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

# %% recursive | points 4 | recursive
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

# %% without_dropout | points 4 | dropout of 0, which the text leaves open
class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, dropout=0.0, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hidden = None if attention_mask is None else attention_mask.eq(0)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return self.final_norm(x) if hasattr(self, "final_norm") else x
