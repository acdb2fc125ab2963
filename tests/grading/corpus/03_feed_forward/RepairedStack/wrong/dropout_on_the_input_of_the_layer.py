# dropout-on-the-input-of-the-layer
# points: 3

class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(self.dropout(x).transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return update


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
