# hard-coded rate and dropout on the wide vector
# points: 3

class L(BrokenLayer):
    def __init__(self, h, w, p):
        super().__init__(h, w, p)
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        return self.back(self.drop(F.gelu(self.wider(x.transpose(1, 2))))).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
