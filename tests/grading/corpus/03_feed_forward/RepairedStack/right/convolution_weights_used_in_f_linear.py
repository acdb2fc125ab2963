# convolution-weights-used-in-f-linear
# points: 4

class L(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back = nn.Conv1d(h, w, kernel_size=1), nn.Conv1d(w, h, kernel_size=1)
        self.drop = nn.Dropout(p)
    def forward(self, x):
        wide = F.linear(x, self.wider.weight.squeeze(-1), self.wider.bias)
        return self.drop(F.linear(F.gelu(wide), self.back.weight.squeeze(-1), self.back.bias))
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(L(hidden_size, intermediate_size, dropout))
    def forward(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x) + x
        return x
