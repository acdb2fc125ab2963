# dropout taken for the rate of what is kept
# points: 3

class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(1 - dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x
