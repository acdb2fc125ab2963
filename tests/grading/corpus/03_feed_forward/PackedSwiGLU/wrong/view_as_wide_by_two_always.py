# view as wide by two always
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        h = h.view(*h.shape[:-1], h.shape[-1] // 2, 2)
        return self.down(F.silu(h[..., 0]) * h[..., 1])
