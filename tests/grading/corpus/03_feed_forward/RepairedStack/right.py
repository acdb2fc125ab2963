# %% convolution_weights_used_in_f_linear | points 4 | convolution-weights-used-in-f-linear
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

# %% deepcopy_with_fresh_weights | points 4 | deepcopy with fresh weights
class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(nn.ModuleDict({"wider": nn.Conv1d(hidden_size, intermediate_size, 1), "back": nn.Conv1d(intermediate_size, hidden_size, 1)}))
        self.drop = nn.Dropout(dropout)
    def forward(self, x):
        x = x.permute(0, 2, 1)
        for layer in self.layers:
            x = x + self.drop(layer["back"](F.gelu(layer["wider"](x))))
        return x.permute(0, 2, 1)

# %% einsum_on_the_convolutions_weights_erf_by_hand | points 4 | einsum on the convolutions' weights, erf by hand
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

# %% sequential_and_einsum | points 4 | sequential and einsum
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

# %% sequential_subclass_with_permute_other_order | points 4 | sequential-subclass-with-permute-other-order
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

# %% smallest_repair | points 4 | smallest repair
class Fixed(BrokenLayer):
    def forward(self, x):
        wide = F.gelu(self.wider(x.mT))
        return F.dropout(self.back(wide).mT, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, 0, dropout)
        self.layers = nn.ModuleList(Fixed(hidden_size, intermediate_size, dropout) for _ in range(num_layers))
