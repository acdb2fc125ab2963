# interleaved-with-slices-along-the-tokens
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.w = intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            gate = h[::2]
            up = h[1::2]
        else:
            gate, up = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
