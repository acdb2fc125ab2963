# Cuts the batch to the longest number of real tokens and fills up with zeros: wrong for padding on the left.
# points: 0
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.pre_norm = pre_norm
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
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        padding = None
        if attention_mask is not None:
            padding = ~attention_mask.bool()
        tokens = x.size(1)
        if padding is not None:
            longest = int(attention_mask.sum(dim=1).max())
            x, padding = x[:, :longest], padding[:, :longest]
        hidden_states = [x]
        for layer in self.layers:
            new = layer(hidden_states[-1], src_key_padding_mask=padding)
            hidden_states.append(new)
        result = hidden_states[-1]
        if self.pre_norm:
            result = self.final_norm(result)
        return nn.functional.pad(result, (0, 0, 0, tokens - result.size(1)))
