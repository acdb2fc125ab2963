# gelu gate on the wrong half
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            gate, up = y[..., 0::2], y[..., 1::2]
        else:
            up, gate = y.chunk(2, -1)
        return self.down(F.gelu(gate) * up)
