# Puts all tokens in rows with view, which a transposed view of memory refuses.
# points: 0
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        both = self.gate_up(x.view(-1, x.size(-1)))
        gate, up = (both[:, 0::2], both[:, 1::2]) if self.interleaved else both.chunk(2, dim=1)
        return self.down(F.silu(gate) * up).view(x.shape)
