# reorders the parameter at every call
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        if self.interleaved:
            with torch.no_grad():
                w = self.gate_up.weight
                w.copy_(torch.cat([w[::2], w[1::2]]))
        g, u = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(g) * u)
