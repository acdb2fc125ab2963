# deepcopy with fresh weights
# points: 4

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(nn.ModuleDict({"wider": nn.Conv1d(hidden_size, intermediate_size, 1), "back": nn.Conv1d(intermediate_size, hidden_size, 1)}))
        self.drop = nn.Dropout(dropout)
    def forward(self, x):
        x = x.permute(0, 2, 1)
        for layer in self.layers:
            x = x + self.drop(layer["back"](F.gelu(layer["wider"](x))))
        return x.permute(0, 2, 1)
