# everything but the activation, dropout deleted
# points: 0

class L(BrokenLayer):
    def forward(self, x):
        wide = self.wider(x.transpose(1, 2))
        F.gelu(wide)
        return self.back(wide).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
