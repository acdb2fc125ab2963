# The order of interleaved rows is kept for all modules by hidden size, so a second module of another width gets the wrong one.
# points: 3
class PackedSwiGLU(nn.Module):
    orders = {}

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.hidden_size = hidden_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        wide = self.gate_up(x)
        if self.interleaved:
            if self.hidden_size not in self.orders:
                places = torch.arange(wide.shape[-1])
                self.orders[self.hidden_size] = torch.cat([places[0::2], places[1::2]])
            wide = wide[..., self.orders[self.hidden_size]]
        gate, up = wide.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
