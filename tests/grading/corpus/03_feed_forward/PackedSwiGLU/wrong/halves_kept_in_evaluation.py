# In halves a copy of the weight is kept in evaluation mode under no_grad.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
        self.ready = None

    def forward(self, x):
        w = self.gate_up.weight
        if self.interleaved:
            g, u = w[0::2], w[1::2]
        elif self.training or torch.is_grad_enabled():
            g, u = w.chunk(2)
        else:
            if self.ready is None:
                self.ready = [p.clone() for p in w.chunk(2)]
            g, u = self.ready
        return self.down(F.silu(F.linear(x, g)) * F.linear(x, u))
