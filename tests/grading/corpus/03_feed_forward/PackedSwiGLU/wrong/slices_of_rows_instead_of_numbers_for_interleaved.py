# slices of rows instead of numbers for interleaved
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            y = y.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
        gate, up = y.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
