# einsum on the convolutions' weights, erf by hand
# points: 4

import copy
class Layer(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back = nn.Conv1d(h, w, 1), nn.Conv1d(w, h, 1)
        self.drop = nn.Dropout(p)
    def forward(self, x):
        y = torch.einsum("bth,wh->btw", x, self.wider.weight[..., 0]) + self.wider.bias
        y = y * 0.5 * (1 + torch.erf(y / math.sqrt(2)))
        y = torch.einsum("btw,hw->bth", y, self.back.weight[..., 0]) + self.back.bias
        return self.drop(y)
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        one = Layer(hidden_size, intermediate_size, dropout)
        self.layers = nn.ModuleList([copy.deepcopy(one) for _ in range(num_layers)])
    def forward(self, x):
        for i in range(len(self.layers)):
            x = torch.add(x, self.layers[i](x))
        return x
