# interleaved as columns of the weight
# points: 2

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        w = self.gate_up.weight.data
        n = w.shape[0] // 2
        if self.interleaved:
            g, u = w[n:], w[:n]
        else:
            g, u = w[:n], w[n:]
        return self.down(F.silu(x @ g.T) * (x @ u.T))
