# %% copy_in_evaluation_cleared_by_train | points 4 | In evaluation mode a sorted copy is kept until train() or load_state_dict is called.
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

# %% functions_and_parameters_made_by_hand | points 4 | functions and Parameters made by hand
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = nn.Module(), nn.Module()
        self.gate_up.weight = nn.Parameter(torch.zeros(2 * intermediate_size, hidden_size))
        self.down.weight = nn.Parameter(torch.zeros(hidden_size, intermediate_size))
        self.step = 2 if interleaved else 1
        self.w = intermediate_size
    def forward(self, x):
        W = self.gate_up.weight
        g, u = (W[0::2], W[1::2]) if self.step == 2 else (W[: self.w], W[self.w :])
        return (F.silu(x @ g.T) * (x @ u.T)) @ self.down.weight.T

# %% index_tables_other_order_of_registration | points 4 | index-tables-other-order-of-registration
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, bias=False)
        i = torch.arange(intermediate_size)
        self.g, self.u = (2 * i, 2 * i + 1) if interleaved else (i, i + intermediate_size)
    def forward(self, x):
        W = self.gate_up.weight
        g, u = x @ W[self.g].T, x @ W[self.u].T
        return (g * g.sigmoid() * u) @ self.down.weight.T

# %% index_tensors_in_buffers_that_are_not_saved | points 4 | index tensors in buffers that are not saved
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

# %% order_as_buffer | points 4 | keeps the order of the rows as a persistent buffer
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

# %% unflatten_and_glu | points 4 | unflatten and glu
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.shape, self.axis = ((-1, 2), -1) if interleaved else ((2, -1), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.axis)
        return self.down(nn.SiLU()(gate).mul(up))

# %% unflatten_and_unbind | points 4 | unflatten-and-unbind
class _NoBias(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(b, a))
    def forward(self, x):
        return torch.einsum("...a,ba->...b", x, self.weight)
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up, self.down = _NoBias(hidden_size, 2 * intermediate_size), _NoBias(intermediate_size, hidden_size)
        self.shape, self.dim = ((intermediate_size, 2), -1) if interleaved else ((2, intermediate_size), -2)
    def forward(self, x):
        gate, up = self.gate_up(x).unflatten(-1, self.shape).unbind(self.dim)
        return self.down(nn.functional.silu(gate).mul(up))

# %% weights_split | points 4 | weights split
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, intermediate_size * 2, False)
        self.down = nn.Linear(intermediate_size, hidden_size, False)
        self.step = interleaved
        self.w = intermediate_size
    def forward(self, x):
        w = self.gate_up.weight
        g, u = (w[::2], w[1::2]) if self.step else (w[: self.w], w[self.w :])
        a = x @ g.T
        return (a * torch.sigmoid(a) * (x @ u.T)) @ self.down.weight.T
