# Keeps the order of interleaved rows, for all modules, by the number of weights: (4, 6) and (6, 4) get in each other's way.
# points: 3
_ORDERS = {}


class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def order(self):
        key = self.gate_up.weight.numel()
        if key not in _ORDERS:
            rows = torch.arange(self.gate_up.weight.shape[0])
            _ORDERS[key] = torch.cat((rows[0::2], rows[1::2]))
        return _ORDERS[key]

    def forward(self, x: Tensor) -> Tensor:
        both = self.gate_up(x)
        if self.interleaved:
            both = both[..., self.order()]
        gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
