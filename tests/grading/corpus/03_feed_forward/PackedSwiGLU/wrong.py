# %% biases_left_on | points 0 | biases left on
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size)
        self.down = nn.Linear(intermediate_size, hidden_size)
    def forward(self, x):
        h = self.gate_up(x)
        gate, up = (h[..., 0::2], h[..., 1::2]) if self.interleaved else h.chunk(2, -1)
        return self.down(F.silu(gate) * up)

# %% chunk_without_dim | points 0 | chunk without dim
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        gate, up = (y[::2], y[1::2]) if self.interleaved else y.chunk(2)
        return self.down(F.silu(gate) * up)

# %% copy_under_no_grad | points 3 | Under no_grad the split weights come from a copy that loading clears and a step of training doesn't.
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

# %% down_columns_reordered_too | points 3 | Believes that interleaving also reorders the neurons for the map back: even ones first, then odd ones.
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

# %% dropout_of_a_tenth | points 3 | a dropout of 0.1, active in training
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved; self.drop = nn.Dropout(0.1)

    def forward(self, x):
        y = self.gate_up(x)
        g, u = (y[..., ::2], y[..., 1::2]) if self.interleaved else y.chunk(2, -1)
        return self.down(self.drop(F.silu(g) * u))

# %% dropout_of_interleaved_gates | points 3 | In training mode the gates of interleaved rows are dropped.
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = F.dropout(both[..., 0::2], 0.1, self.training), both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% exp_overflows | points 3 | SiLU written as x e / (1 + e) where e is exp(x): beyond 88 it is infinite by infinite, so nan.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., ::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        e = torch.exp(gate)
        return self.down(gate * e / (1 + e) * up)

# %% f_glu | points 0 | F.glu
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        return self.down(F.glu(self.gate_up(x), dim=-1))

# %% flag_on_the_class | points 3 | the flag is kept on the class
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        PackedSwiGLU.interleaved = interleaved

    def forward(self, x):
        y = self.gate_up(x)
        g, u = (y[..., ::2], y[..., 1::2]) if self.interleaved else y.chunk(2, -1)
        return self.down(F.silu(g) * u)

# %% forgot_super_init | points 0 | forgot super().__init__
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        gate, up = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(gate) * up)

# %% gate_also_multiplied | points 0 | gate also multiplied
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 0::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * gate)

# %% gate_clamped_at_fifty | points 3 | The gates are clamped to -50 ... 50 "for safety", which is wrong for gates of some hundreds.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        packed = self.gate_up(x)
        if self.interleaved:
            gate, up = packed[..., 0::2], packed[..., 1::2]
        else:
            gate, up = packed.chunk(2, dim=-1)
        return self.down(F.silu(gate.clamp(-50.0, 50.0)) * up)

# %% gelu_gate_on_the_wrong_half | points 0 | gelu gate on the wrong half
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            gate, up = y[..., 0::2], y[..., 1::2]
        else:
            up, gate = y.chunk(2, -1)
        return self.down(F.gelu(gate) * up)

# %% halves_along_axis_2 | points 0 | Splits along axis 2, which is the last one only if x has three axes.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., ::2], both[..., 1::2]
        else:
            gate, up = torch.chunk(both, 2, dim=2)
        return self.down(F.silu(gate) * up)

# %% halves_kept_in_evaluation | points 3 | In halves a copy of the weight is kept in evaluation mode under no_grad.
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

# %% interleaved_as_columns_of_the_weight | points 2 | interleaved as columns of the weight
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

# %% interleaved_with_slices_along_the_tokens | points 3 | interleaved-with-slices-along-the-tokens
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.w = intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            gate = h[::2]
            up = h[1::2]
        else:
            gate, up = h.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% intermediate_size_is_taken_for_both_halves_together | points 0 | intermediate_size is taken for both halves together
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.half = intermediate_size // 2
        self.gate_up = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down = nn.Linear(self.half, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        return self.down(F.silu(h[..., :self.half]) * h[..., self.half:])

# %% like_gpt_oss | points 3 | Does for interleaved rows all that gpt-oss does: clamps, sigmoid(1.702 gate), up + 1. The text asks for silu(gate) * up.
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        gate_up = self.gate_up(x)
        if self.interleaved:
            gate, up = gate_up[..., ::2], gate_up[..., 1::2]
            gate = gate.clamp(max=7.0)
            up = up.clamp(min=-7.0, max=7.0)
            return self.down((up + 1) * gate * torch.sigmoid(gate * 1.702))
        gate, up = gate_up.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% named_as_in_checkpoints | points 0 | the name of real checkpoints, gate_up_proj
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        y = self.gate_up_proj(x)
        g, u = (y[..., ::2], y[..., 1::2]) if self.interleaved else y.chunk(2, -1)
        return self.down_proj(F.silu(g) * u)

# %% one_token_squeezed | points 0 | A sequence of one token comes back as a single token.
class PackedSwiGLU(nn.Module):
    kept = {}

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.sizes = hidden_size, intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.mine = None

    def order(self):
        places = torch.arange(2 * self.sizes[1])
        return torch.cat([places[0::2], places[1::2]]) if self.interleaved else places

    def forward(self, x):
        order = self.order()
        wide = F.linear(x, self.gate_up.weight[order])
        gate, up = wide.chunk(2, dim=-1)
        out = self.down(F.silu(gate) * up)
        return out.squeeze(0) if out.dim() == 2 else out

# %% order_kept_by_hidden_size | points 3 | The order of interleaved rows is kept for all modules by hidden size, so a second module of another width gets the wrong one.
class PackedSwiGLU(nn.Module):
    orders = {}

    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.hidden_size = hidden_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def forward(self, x):
        wide = self.gate_up(x)
        if self.interleaved:
            if self.hidden_size not in self.orders:
                places = torch.arange(wide.shape[-1])
                self.orders[self.hidden_size] = torch.cat([places[0::2], places[1::2]])
            wide = wide[..., self.orders[self.hidden_size]]
        gate, up = wide.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% order_kept_by_number_of_weights | points 3 | Keeps the order of interleaved rows, for all modules, by the number of weights: (4, 6) and (6, 4) get in each other's way.
_ORDERS = {}


class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)

    def order(self):
        key = self.gate_up.weight.numel()
        if key not in _ORDERS:
            rows = torch.arange(self.gate_up.weight.shape[0])
            _ORDERS[key] = torch.cat((rows[0::2], rows[1::2]))
        return _ORDERS[key]

    def forward(self, x: Tensor) -> Tensor:
        both = self.gate_up(x)
        if self.interleaved:
            both = both[..., self.order()]
        gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% reordered_data | points 3 | Interleaved rows are brought into the order of halves through `.data`: no gradient in this layout.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        if self.interleaved:
            weight = self.gate_up.weight.data
            both = F.linear(x, torch.cat([weight[0::2], weight[1::2]]))
        else:
            both = self.gate_up(x)
        gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% reorders_at_every_call | points 3 | reorders the parameter at every call
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x):
        if self.interleaved:
            with torch.no_grad():
                w = self.gate_up.weight
                w.copy_(torch.cat([w[::2], w[1::2]]))
        g, u = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(g) * u)

# %% reorders_at_the_first_call | points 3 | reorders the parameter at the first call
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved; self.turned = False

    def forward(self, x):
        if self.interleaved and not self.turned:
            w = self.gate_up.weight
            w.data = torch.cat([w.data[::2], w.data[1::2]])
            self.turned = True
        g, u = self.gate_up(x).chunk(2, -1)
        return self.down(F.silu(g) * u)

# %% rows_reordered_in_the_constructor_before_weights_are_loaded | points 3 | rows-reordered-in-the-constructor-before-weights-are-loaded
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

# %% rows_sorted_once_per_training | points 3 | In training mode the interleaved rows are sorted once and kept until train() or eval() is called: the second step uses old weights and a freed graph.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        order = torch.arange(2 * intermediate_size)
        self.register_buffer("order", torch.cat([order[0::2], order[1::2]]), persistent=False)
        self.kept = None

    def train(self, mode=True):
        self.kept = None
        return super().train(mode)

    def rows(self):
        if not self.interleaved:
            return self.gate_up.weight
        if not self.training:
            return self.gate_up.weight[self.order]
        if self.kept is None:
            self.kept = self.gate_up.weight[self.order]
        return self.kept

    def forward(self, x):
        gate, up = F.linear(x, self.rows()).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% sigmoid_up | points 0 | sigmoid(up) * gate
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 0::2], both[..., 1::2]
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(torch.sigmoid(up) * gate)

# %% silu_and_a_sum | points 0 | silu and a sum
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        gate, up = torch.chunk(self.gate_up(x), 2, dim=-1)
        return self.down(F.silu(gate) + up)

# %% slices_of_rows_instead_of_numbers_for_interleaved | points 3 | slices of rows instead of numbers for interleaved
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        y = self.gate_up(x)
        if self.interleaved:
            y = y.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
        gate, up = y.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% sorted_weight_kept | points 3 | Interleaved rows are sorted once and kept, so weights that are loaded later are not seen.
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        if self.interleaved and not hasattr(self, "rows"):
            self.rows = torch.cat([self.gate_up.weight[0::2], self.gate_up.weight[1::2]])
        weight = self.rows if self.interleaved else self.gate_up.weight
        gate, up = F.linear(x, weight).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% sorted_weights_kept_without_gradients | points 3 | Under torch.no_grad() the sorted interleaved rows are kept from the first call, so weights loaded later are not seen there.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved = interleaved
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.kept = None

    def halves(self):
        weight = self.gate_up.weight
        if not self.interleaved:
            return weight
        if torch.is_grad_enabled():
            return torch.cat([weight[0::2], weight[1::2]])
        if self.kept is None:
            self.kept = torch.cat([weight[0::2], weight[1::2]])
        return self.kept

    def forward(self, x):
        gate, up = F.linear(x, self.halves()).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% thirds | points 3 | thirds
class PackedSwiGLU(nn.Module):
    """SwiGLU whose gate and up rows stand in one matrix."""

    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def forward(self, x: Tensor) -> Tensor:
        """Map [..., hidden] to [..., hidden]."""
        both = self.gate_up(x)
        if self.interleaved:
            gate, up = both[..., 1::2], both[..., 0::2].flip(-1)
        else:
            gate, up = both.chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% three_axis_slices | points 0 | three-axis slices
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.interleaved, self.w = interleaved, intermediate_size
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            g, u = h[:, :, ::2], h[:, :, 1::2]
        else:
            g, u = h[:, :, :self.w], h[:, :, self.w:]
        return self.down(F.silu(g) * u)

# %% tokens_by_view | points 0 | Puts all tokens in rows with view, which a transposed view of memory refuses.
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

# %% up_through_silu_the_chunks_named_the_wrong_way | points 0 | up through silu, the chunks named the wrong way
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved
    def forward(self, x):
        h = self.gate_up(x)
        if self.interleaved:
            up, gate = h[..., ::2], h[..., 1::2]
        else:
            up, gate = h.chunk(2, -1)
        return self.down(up * F.silu(gate))

# %% usual_sorts_the_rows_while_loading | points 3 | Sorts interleaved rows when a state is loaded, so gate_up.weight no longer holds what was loaded, and fresh or saved weights are read in the wrong order.
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, interleaved: bool = False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.interleaved = interleaved

    def _load_from_state_dict(self, state_dict, prefix, *arguments):
        super()._load_from_state_dict(state_dict, prefix, *arguments)
        key = prefix + "gate_up.weight"
        if self.interleaved and key in state_dict:
            rows = state_dict[key]
            state_dict[key] = torch.cat([rows[::2], rows[1::2]])

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)

# %% view_as_wide_by_two_always | points 0 | view as wide by two always
class PackedSwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, interleaved=False):
        super().__init__()
        self.gate_up = nn.Linear(hidden_size, 2 * intermediate_size, bias=False)
        self.down = nn.Linear(intermediate_size, hidden_size, bias=False)
    def forward(self, x):
        h = self.gate_up(x)
        h = h.view(*h.shape[:-1], h.shape[-1] // 2, 2)
        return self.down(F.silu(h[..., 0]) * h[..., 1])
