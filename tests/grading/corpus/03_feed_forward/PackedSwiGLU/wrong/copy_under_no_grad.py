# Under no_grad the split weights come from a copy that loading clears and a step of training doesn't.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
        self.ready = None

    def _load_from_state_dict(self, *args, **kwargs):
        self.ready = None
        super()._load_from_state_dict(*args, **kwargs)

    def split(self):
        weight = self.gate_up.weight
        if self.interleaved:
            return weight[0::2], weight[1::2]
        return weight.chunk(2, dim=0)

    def forward(self, x: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            gates, ups = self.split()
        else:
            if self.ready is None:
                self.ready = [part.clone() for part in self.split()]
            gates, ups = self.ready
        return self.down(F.silu(F.linear(x, gates)) * F.linear(x, ups))
