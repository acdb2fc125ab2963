# transposes the first two axes
# points: 0

class L(BrokenLayer):
    def forward(self, x):
        return F.dropout(self.back(F.gelu(self.wider(x.permute(2, 1, 0)))).permute(2, 1, 0), self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
