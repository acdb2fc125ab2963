# Detaches the hidden states before every layer in training mode, so only the last layer learns.
# points: 3
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            if self.training:
                x = x.detach()
            x = x + layer(x)
        return x
