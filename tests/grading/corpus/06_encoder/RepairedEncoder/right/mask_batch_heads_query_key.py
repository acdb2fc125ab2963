# mask [batch * heads, query, key]
# points: 4

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
