# index tensors in buffers that are not saved
# points: 4

class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        i = torch.arange(intermediate_size)
        gate = 2 * i if interleaved else i
        self.register_buffer("gate", gate, persistent=False)
        self.register_buffer("up", gate + (1 if interleaved else intermediate_size), persistent=False)
    def forward(self, x):
        y = self.gate_up(x)
        g = y.index_select(-1, self.gate)
        return self.down(g.sigmoid() * g * y.index_select(-1, self.up))
