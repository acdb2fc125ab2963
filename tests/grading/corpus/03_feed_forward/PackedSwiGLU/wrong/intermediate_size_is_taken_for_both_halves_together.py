# intermediate_size is taken for both halves together
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.half = intermediate_size // 2
        self.gate_up = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down = nn.Linear(self.half, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        return self.down(F.silu(h[..., :self.half]) * h[..., self.half:])
