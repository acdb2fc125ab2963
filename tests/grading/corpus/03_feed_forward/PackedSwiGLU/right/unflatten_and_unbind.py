# unflatten-and-unbind
# points: 4

class _NoBias(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(b, a))
    def forward(self, x):
        return torch.einsum("...a,ba->...b", x, self.weight)
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = _NoBias(hidden_size, 2 * intermediate_size), _NoBias(intermediate_size, hidden_size)
        self.shape, self.dim = ((intermediate_size, 2), -1) if interleaved else ((2, intermediate_size), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.dim)
        return self.down(nn.functional.silu(gate).mul(up))
