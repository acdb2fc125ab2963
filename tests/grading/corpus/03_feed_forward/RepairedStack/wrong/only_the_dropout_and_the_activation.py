# only the dropout and the activation
# points: 2

class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.reshape(batch, hidden, tokens))
        wide = F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, training=self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)
