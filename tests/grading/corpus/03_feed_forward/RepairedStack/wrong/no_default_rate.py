# The rate has no default.
# points: 0
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x):
        return self.dropout(self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2))

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
