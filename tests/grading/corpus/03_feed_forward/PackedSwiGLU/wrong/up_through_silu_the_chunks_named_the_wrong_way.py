# up through silu, the chunks named the wrong way
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            up, gate = h[..., ::2], h[..., 1::2]
        else:
            up, gate = h.chunk(2, -1)
        return self.down(up * F.silu(gate))
