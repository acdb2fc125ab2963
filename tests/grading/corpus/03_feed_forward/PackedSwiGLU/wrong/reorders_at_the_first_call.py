# reorders the parameter at the first call
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved; self.turned = False

    def forward(self, x):
        if self.interleaved and not self.turned:
            w = self.gate_up.weight
            w.data = torch.cat([w.data[::2], w.data[1::2]])
            self.turned = True
        g, u = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(g) * u)
