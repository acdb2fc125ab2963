# A sequence of one token comes back as a single token.
# points: 0
class PackedSwiGLU(nn.Module):
    kept = {}

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.sizes = hidden_size, intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.mine = None

    def order(self):
        places = torch.arange(2 * self.sizes[1])
        return torch.cat([places[0::2], places[1::2]]) if self.interleaved else places

    def forward(self, x):
        order = self.order()
        wide = F.linear(x, self.gate_up.weight[order])
        gate, up = wide.chunk(2, dim=-1)
        out = self.down(F.silu(gate) * up)
        return out.squeeze(0) if out.dim() == 2 else out
