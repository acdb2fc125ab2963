# unflatten and glu
# points: 4

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.shape, self.axis = ((-1, 2), -1) if interleaved else ((2, -1), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.axis)
        return self.down(nn.SiLU()(gate).mul(up))
