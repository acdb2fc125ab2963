# three-axis slices
# points: 0

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved, self.w = interleaved, intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            g, u = h[:, :, ::2], h[:, :, 1::2]
        else:
            g, u = h[:, :, :self.w], h[:, :, self.w:]
        return self.down(F.silu(g) * u)
