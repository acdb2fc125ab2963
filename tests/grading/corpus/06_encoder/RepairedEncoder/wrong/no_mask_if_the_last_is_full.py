# Leaves the mask out where the last text has no padding, although others may have some.
# points: 0
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
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        else:
            self.final_norm = nn.Identity()

    def forward(self, x, attention_mask=None):
        """Return the hidden states behind the last layer, ``[batch, tokens, hidden_size]``."""
        if attention_mask is not None:
            attention_mask = ~attention_mask.bool()  # True hides a key
            if not attention_mask[-1].any():
                attention_mask = None
        hidden_states = [x]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
            hidden_states.append(x)
        return self.final_norm(hidden_states[-1])
