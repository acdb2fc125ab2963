# SiLU written as x e / (1 + e) with e = exp(x): beyond 88 it is infinite by infinite, so nan.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., ::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        e = torch.exp(gate)
        return self.down(gate * e / (1 + e) * up)
