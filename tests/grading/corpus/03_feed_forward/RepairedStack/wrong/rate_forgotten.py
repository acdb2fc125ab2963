# Turns dropout off in evaluation mode, but forgets to pass the rate: in training it is one half.
# points: 3
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.permute(0, 2, 1)))
        update = self.back(wide).permute(0, 2, 1)
        return F.dropout(update, training=self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(RepairedLayer(hidden_size, intermediate_size, dropout))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
