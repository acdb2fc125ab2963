# one bug left, the activation
# points: 3

class Layer(nn.Module):
    def __init__(self, hidden, wide, p):
        super().__init__()
        self.wider, self.back, self.drop = nn.Conv1d(hidden, wide, 1), nn.Conv1d(wide, hidden, 1), nn.Dropout(p)

    def forward(self, x):
        wide = self.wider(x.mT)
        F.gelu(wide)
        return self.drop(self.back(wide).mT)

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
