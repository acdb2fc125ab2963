# Interleaved rows are brought into the order of halves through `.data`: no gradient in this layout.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        if self.interleaved:
            weight = self.gate_up.weight.data
            both = F.linear(x, torch.cat([weight[0::2], weight[1::2]]))
        else:
            both = self.gate_up(x)
        gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
