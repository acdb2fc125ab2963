# chunk without dim
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        gate, up = (y[::2], y[1::2]) if self.interleaved else y.chunk(2)
        return self.down(F.silu(gate) * up)
