# The gates are clamped to -50 ... 50 "for safety", which is wrong for gates of some hundreds.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        packed = self.gate_up(x)
        if self.interleaved:
            gate, up = packed[..., 0::2], packed[..., 1::2]
        else:
            gate, up = packed.chunk(2, dim=-1)
        return self.down(F.silu(gate.clamp(-50.0, 50.0)) * up)
