# Interleaved rows are sorted once and kept, so weights that are loaded later are not seen.
# points: 3

class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        if self.interleaved and not hasattr(self, "rows"):
            self.rows = torch.cat([self.gate_up.weight[0::2], self.gate_up.weight[1::2]])
        weight = self.rows if self.interleaved else self.gate_up.weight
        gate, up = F.linear(x, weight).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
