# biases left on
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size)
        self.down = nn.Linear(intermediate_size, hidden_size)
    def forward(self, x):
        h = self.gate_up(x)
        gate, up = (h[..., 0::2], h[..., 1::2]) if self.interleaved else h.chunk(2, -1)
        return self.down(F.silu(gate) * up)
