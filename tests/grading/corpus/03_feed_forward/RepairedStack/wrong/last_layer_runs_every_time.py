# The layers are different ones now, but the last of them is run each time, which gives the same numbers as one shared layer.
# points: 3
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = RepairedLayer(hidden_size, intermediate_size, dropout)
            self.layers.append(layer)

    def forward(self, x):
        for _ in self.layers:
            layer = self.layers[-1]
            x = x + layer(x)
        return x
