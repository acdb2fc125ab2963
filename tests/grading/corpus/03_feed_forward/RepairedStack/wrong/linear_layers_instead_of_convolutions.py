# linear layers instead of convolutions
# points: 0

class L(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back, self.drop = nn.Linear(h, w), nn.Linear(w, h), nn.Dropout(p)
    def forward(self, x):
        return self.drop(self.back(F.gelu(self.wider(x))))
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
