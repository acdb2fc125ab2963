# Believes that interleaving also reorders the neurons for the map back: even ones first, then odd ones.
# points: 3
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        both = self.gate_up(x)
        if self.interleaved:
            neurons = F.silu(both[..., 0::2]) * both[..., 1::2]
            neurons = torch.cat([neurons[..., 0::2], neurons[..., 1::2]], dim=-1)
        else:
            gate, up = both.chunk(2, dim=-1)
            neurons = F.silu(gate) * up
        return self.down(neurons)
