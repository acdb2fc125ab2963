# sequential and einsum
# points: 4

class Layer(nn.Module):
    def __init__(self, d, w, p):
        super().__init__()
        self.back = nn.Conv1d(w, d, 1)
        self.wider = nn.Conv1d(d, w, 1)
        self.p = p
    def forward(self, x):
        h = torch.einsum("btd,wdk->btw", x, self.wider.weight) + self.wider.bias
        h = F.gelu(h)
        return F.dropout(torch.einsum("btw,dwk->btd", h, self.back.weight) + self.back.bias, self.p, self.training)
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(*[Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        for i in range(len(self.layers)):
            x = self.layers[i](x) + x
        return x
