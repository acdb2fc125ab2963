# keeps the order of the rows as a persistent buffer
# points: 4
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        order = torch.arange(2 * intermediate_size)
        if interleaved:
            order = order.view(-1, 2).T.reshape(-1)
        self.register_buffer("order", order)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x)[..., self.order].chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
