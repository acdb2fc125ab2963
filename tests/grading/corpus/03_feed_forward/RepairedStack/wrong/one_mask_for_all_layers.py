# In training mode one dropout mask is drawn per call and used for the updates of all layers.
# points: 3
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)

    def forward(self, x):
        return self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size) for _ in range(num_layers)]
        )
        self.dropout = dropout

    def forward(self, x):
        mask = F.dropout(torch.ones_like(x), self.dropout, self.training)
        for layer in self.layers:
            x = x + layer(x) * mask
        return x
