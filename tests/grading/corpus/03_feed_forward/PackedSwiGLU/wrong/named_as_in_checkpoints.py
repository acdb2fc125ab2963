# the name of real checkpoints, gate_up_proj
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        y = self.gate_up_proj(x)
        g, u = (y[..., ::2], y[..., 1::2]) if self.interleaved else y.chunk(2, -1)
        return self.down_proj(F.silu(g) * u)
