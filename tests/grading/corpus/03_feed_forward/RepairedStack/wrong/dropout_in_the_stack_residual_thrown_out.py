# dropout in the stack, residual thrown out
# points: 0

class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.Sequential(*[L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
    def forward(self, x):
        return self.layers(x)
