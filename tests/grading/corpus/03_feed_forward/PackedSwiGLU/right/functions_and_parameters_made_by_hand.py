# functions and Parameters made by hand
# points: 4

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = nn.Module(), nn.Module()
        self.gate_up.weight = nn.Parameter(torch.zeros(2 * intermediate_size, hidden_size))
        self.down.weight = nn.Parameter(torch.zeros(hidden_size, intermediate_size))
        self.step = 2 if interleaved else 1
        self.w = intermediate_size
    def forward(self, x):
        W = self.gate_up.weight
        g, u = (W[0::2], W[1::2]) if self.step == 2 else (W[: self.w], W[self.w :])
        return (F.silu(x @ g.T) * (x @ u.T)) @ self.down.weight.T
