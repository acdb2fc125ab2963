# weights split
# points: 4

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, False)
        self.down = nn.Linear(intermediate_size, hidden_size, False)
        self.step = interleaved
        self.w = intermediate_size
    def forward(self, x):
        w = self.gate_up.weight
        g, u = (w[::2], w[1::2]) if self.step else (w[: self.w], w[self.w :])
        a = x @ g.T
        return (a * torch.sigmoid(a) * (x @ u.T)) @ self.down.weight.T
