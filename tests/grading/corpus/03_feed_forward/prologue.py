# What the notebook gives: the broken version of the bug hunt.

class BrokenLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.reshape(batch, hidden, tokens))
        F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout)


class BrokenStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        layer = BrokenLayer(hidden_size, intermediate_size, dropout)
        self.layers = nn.ModuleList([layer] * num_layers)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
