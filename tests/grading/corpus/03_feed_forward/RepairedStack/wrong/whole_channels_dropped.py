# nn.Dropout1d drops a channel for all tokens at once, so tokens are no longer treated each by itself.
# points: 3
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2))))
        return self.dropout(update).transpose(1, 2)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
