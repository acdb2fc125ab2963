# In evaluation mode a sorted copy is kept until train() or load_state_dict is called.
# points: 4
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
        self.ready = None

    def _load_from_state_dict(self, *args, **kwargs):
        self.ready = None
        super()._load_from_state_dict(*args, **kwargs)

    def train(self, mode=True):
        self.ready = None
        return super().train(mode)

    def forward(self, x):
        w = self.gate_up.weight
        g, u = (w[0::2], w[1::2]) if self.interleaved else w.chunk(2)
        if not self.training and not torch.is_grad_enabled():
            if self.ready is None:
                self.ready = g.clone(), u.clone()
            g, u = self.ready
        return self.down(F.silu(F.linear(x, g)) * F.linear(x, u))
