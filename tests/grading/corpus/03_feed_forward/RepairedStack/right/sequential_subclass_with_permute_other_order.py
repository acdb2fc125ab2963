# sequential-subclass-with-permute-other-order
# points: 4

class One(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.back = nn.Conv1d(w, h, 1)
        self.wider = nn.Conv1d(h, w, 1)
        self.p = p
    def forward(self, x):
        y = self.back(nn.GELU()(self.wider(x.permute(0, 2, 1)))).permute(0, 2, 1)
        return x + F.dropout(y, p=self.p, training=self.training)
class Chain(nn.Sequential):
    pass
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = Chain(*[One(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        return self.layers(x)
