# smallest repair
# points: 4

class Fixed(BrokenLayer):
    def forward(self, x):
        wide = F.gelu(self.wider(x.mT))
        return F.dropout(self.back(wide).mT, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, 0, dropout)
        self.layers = nn.ModuleList(Fixed(hidden_size, intermediate_size, dropout) for _ in range(num_layers))
