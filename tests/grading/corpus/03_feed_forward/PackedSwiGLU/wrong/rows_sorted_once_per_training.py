# In training mode the interleaved rows are sorted once and kept until train() or eval() is called: the second step uses old weights and a freed graph.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        order = torch.arange(2 * intermediate_size)
        self.register_buffer("order", torch.cat([order[0::2], order[1::2]]), persistent=False)
        self.kept = None

    def train(self, mode=True):
        self.kept = None
        return super().train(mode)

    def rows(self):
        if not self.interleaved:
            return self.gate_up.weight
        if not self.training:
            return self.gate_up.weight[self.order]
        if self.kept is None:
            self.kept = self.gate_up.weight[self.order]
        return self.kept

    def forward(self, x):
        gate, up = F.linear(x, self.rows()).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
