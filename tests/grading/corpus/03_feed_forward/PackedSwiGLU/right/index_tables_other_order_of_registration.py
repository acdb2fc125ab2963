# index-tables-other-order-of-registration
# points: 4

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, bias=False)
        i = torch.arange(intermediate_size)
        self.g, self.u = (2 * i, 2 * i + 1) if interleaved else (i, i + intermediate_size)
    def forward(self, x):
        W = self.gate_up.weight
        g, u = x @ W[self.g].T, x @ W[self.u].T
        return (g * g.sigmoid() * u) @ self.down.weight.T
