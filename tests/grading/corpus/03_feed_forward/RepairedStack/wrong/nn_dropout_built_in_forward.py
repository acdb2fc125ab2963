# nn.Dropout built in forward
# points: 3

class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return nn.Dropout(self.dropout)(update)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
