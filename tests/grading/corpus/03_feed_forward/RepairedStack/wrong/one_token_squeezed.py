# Takes the axis of tokens away where there is one: the update is added to all sequences.
# points: 0
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update.squeeze(1), self.dropout, self.training)


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
