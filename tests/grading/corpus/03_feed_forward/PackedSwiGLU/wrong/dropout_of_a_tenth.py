# a dropout of 0.1, active in training
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved; self.drop = nn.Dropout(0.1)

    def forward(self, x):
        y = self.gate_up(x)
        g, u = (y[..., ::2], y[..., 1::2]) if self.interleaved else y.chunk(2, -1)
        return self.down(self.drop(F.silu(g) * u))
