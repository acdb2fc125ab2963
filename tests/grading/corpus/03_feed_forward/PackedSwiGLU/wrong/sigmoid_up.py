# sigmoid(up) * gate
# points: 0

class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 0::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(torch.sigmoid(up) * gate)
