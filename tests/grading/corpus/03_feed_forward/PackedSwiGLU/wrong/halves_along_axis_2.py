# Splits along axis 2, which is the last one only if x has three axes.
# points: 0
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., ::2], both[..., 1::2]
        else:
            gate, up = torch.chunk(both, 2, dim=2)
        return self.down(F.silu(gate) * up)
