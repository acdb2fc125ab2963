# rows-reordered-in-the-constructor-before-weights-are-loaded
# points: 3

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.w = intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        if interleaved:
            with torch.no_grad():
                w = self.gate_up.weight
                w.copy_(torch.cat([w[::2], w[1::2]]))

    def forward(self, x):
        h = self.gate_up(x)
        gate, up = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
