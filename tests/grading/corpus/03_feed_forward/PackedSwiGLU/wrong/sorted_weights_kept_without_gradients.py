# Under torch.no_grad() the sorted interleaved rows are kept from the first call, so weights loaded later are not seen there.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.kept = None

    def halves(self):
        weight = self.gate_up.weight
        if not self.interleaved:
            return weight
        if torch.is_grad_enabled():
            return torch.cat([weight[0::2], weight[1::2]])
        if self.kept is None:
            self.kept = torch.cat([weight[0::2], weight[1::2]])
        return self.kept

    def forward(self, x):
        gate, up = F.linear(x, self.halves()).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
