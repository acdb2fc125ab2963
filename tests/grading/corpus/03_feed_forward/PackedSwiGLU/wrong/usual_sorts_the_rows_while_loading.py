# Sorts interleaved rows when a state is loaded, so gate_up.weight no longer holds what was loaded, and fresh or saved weights are read in the wrong order.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        super()._load_from_state_dict(state_dict, prefix, *arguments)
        key = prefix + "gate_up.weight"
        if self.interleaved and key in state_dict:
            rows = state_dict[key]
            state_dict[key] = torch.cat([rows[::2], rows[1::2]])

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
