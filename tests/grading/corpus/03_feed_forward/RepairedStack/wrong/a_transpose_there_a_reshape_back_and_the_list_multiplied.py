# a transpose there, a reshape back, and the list multiplied
# points: 0

class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)
