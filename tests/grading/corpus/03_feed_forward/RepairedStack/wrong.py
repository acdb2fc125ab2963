# %% a_transpose_there_a_reshape_back_and_the_list_multiplied | points 0 | a transpose there, a reshape back, and the list multiplied
class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)

# %% as_many_tokens_as_hidden | points 0 | Transposes only if axis 1 does not already have the size of hidden, so nothing is transposed where tokens equals hidden.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        columns = x if x.shape[1] == self.wider.in_channels else x.transpose(1, 2)
        update = self.back(F.gelu(self.wider(columns)))
        if update.shape != x.shape:
            update = update.transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% detached_between_layers_in_training | points 3 | Detaches the hidden states before every layer in training mode, so only the last layer learns.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            if self.training:
                x = x.detach()
            x = x + layer(x)
        return x

# %% dropout_before_the_second_map_as_well_as_rate_halved | points 3 | dropout-before-the-second-map-as-well-as-rate-halved
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout / 2)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% dropout_deleted | points 3 | dropout deleted
class L(BrokenLayer):
    def forward(self, x):
        return self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])

# %% dropout_in_the_first_layer_only | points 3 | Dropout falls on the update of the first layer only.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)

    def forward(self, x):
        return self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([RepairedLayer(hidden_size, intermediate_size) for _ in range(num_layers)])
        self.dropout = dropout

    def forward(self, x):
        for n, layer in enumerate(self.layers):
            x = x + F.dropout(layer(x), self.dropout, self.training and n == 0)
        return x

# %% dropout_in_the_stack_residual_thrown_out | points 0 | dropout in the stack, residual thrown out
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.Sequential(*[L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])
    def forward(self, x):
        return self.layers(x)

# %% dropout_of_one_half | points 3 | dropout of one half
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout()

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% dropout_on_the_input_of_the_layer | points 3 | dropout-on-the-input-of-the-layer
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(self.dropout(x).transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return update


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% dropout_rate_ignored_nn_dropout | points 3 | dropout-rate-ignored-nn-dropout
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout()

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% dropout_twice_on_the_wide_vector_too | points 3 | dropout-twice-on-the-wide-vector-too
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = self.dropout(F.gelu(wide))
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% everything_but_the_activation_dropout_deleted | points 0 | everything but the activation, dropout deleted
class L(BrokenLayer):
    def forward(self, x):
        wide = self.wider(x.transpose(1, 2))
        F.gelu(wide)
        return self.back(wide).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])

# %% hard_coded_rate_and_dropout_on_the_wide_vector | points 3 | hard-coded rate and dropout on the wide vector
class L(BrokenLayer):
    def __init__(self, h, w, p):
        super().__init__(h, w, p)
        self.drop = nn.Dropout(0.1)
    def forward(self, x):
        return self.back(self.drop(F.gelu(self.wider(x.transpose(1, 2))))).transpose(1, 2)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

# %% in_the_wrong_place_activation_before_the_first_map | points 0 | in the wrong place: activation before the first map
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = self.wider(F.gelu(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% inverted_training_flag | points 0 | inverted training flag
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return F.dropout(update, self.dropout, training=not self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

# %% keep_rate | points 3 | dropout taken for the rate of what is kept
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(1 - dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% last_layer_runs_every_time | points 3 | The layers are different ones now, but the last of them is run each time, which gives the same numbers as one shared layer.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update, self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = RepairedLayer(hidden_size, intermediate_size, dropout)
            self.layers.append(layer)

    def forward(self, x):
        for _ in self.layers:
            layer = self.layers[-1]
            x = x + layer(x)
        return x

# %% layers_share_the_second_convolution | points 0 | layers-share-the-second-convolution
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return self.dropout(update)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
        for layer in self.layers[1:]:
            layer.back = self.layers[0].back

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% linear_layers_instead_of_convolutions | points 0 | linear layers instead of convolutions
class L(nn.Module):
    def __init__(self, h, w, p):
        super().__init__()
        self.wider, self.back, self.drop = nn.Linear(h, w), nn.Linear(w, h), nn.Dropout(p)
    def forward(self, x):
        return self.drop(self.back(F.gelu(self.wider(x))))
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])

# %% nn_dropout_built_in_forward | points 3 | nn.Dropout built in forward
class L(BrokenLayer):
    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)
        return nn.Dropout(self.dropout)(update)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for i in range(num_layers)])

# %% no_default_rate | points 0 | The rate has no default.
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x):
        return self.dropout(self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2))

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% one_bug_left_the_activation | points 3 | one bug left, the activation
class Layer(nn.Module):
    def __init__(self, hidden, wide, p):
        super().__init__()
        self.wider, self.back, self.drop = nn.Conv1d(hidden, wide, 1), nn.Conv1d(wide, hidden, 1), nn.Dropout(p)

    def forward(self, x):
        wide = self.wider(x.mT)
        F.gelu(wide)
        return self.drop(self.back(wide).mT)

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% one_mask_for_all_layers | points 3 | In training mode one dropout mask is drawn per call and used for the updates of all layers.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)

    def forward(self, x):
        return self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size) for _ in range(num_layers)]
        )
        self.dropout = dropout

    def forward(self, x):
        mask = F.dropout(torch.ones_like(x), self.dropout, self.training)
        for layer in self.layers:
            x = x + layer(x) * mask
        return x

# %% one_sequence_squeezed | points 0 | Loses the axis of the batch where there is one sequence.
class Layer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, 1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, 1)
        self.dropout = nn.Dropout(dropout)
    def forward(self, x):
        return self.dropout(self.back(F.gelu(self.wider(x.transpose(1, 2)))).transpose(1, 2))

class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList([Layer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])
    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x.squeeze(0)

# %% one_token_squeezed | points 0 | Takes the axis of tokens away where there is one: the update is added to all sequences.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        update = self.back(wide).transpose(1, 2)
        return F.dropout(update.squeeze(1), self.dropout, self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% only_the_dropout_and_the_activation | points 2 | only the dropout and the activation
class L(BrokenLayer):
    def forward(self, x):
        batch, tokens, hidden = x.shape
        wide = self.wider(x.reshape(batch, hidden, tokens))
        wide = F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return F.dropout(update, self.dropout, training=self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout)] * num_layers)

# %% plain_list | points 0 | plain list
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% rate_forgotten | points 3 | Turns dropout off in evaluation mode, but forgets to pass the rate: in training it is one half.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x):
        wide = F.gelu(self.wider(x.permute(0, 2, 1)))
        update = self.back(wide).permute(0, 2, 1)
        return F.dropout(update, training=self.training)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(RepairedLayer(hidden_size, intermediate_size, dropout))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% reshape_half_repaired | points 3 | The reshape is repaired on the way in and forgotten on the way out.
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        batch, tokens, hidden = x.shape
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).reshape(batch, tokens, hidden)
        return self.dropout(update)


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% same_dropout_in_all_sequences | points 3 | Dropout draws once for all sequences, so they lose the same numbers.
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = self.wider(x.transpose(1, 2))
        wide = F.gelu(wide)
        update = self.back(wide).transpose(1, 2)
        return update * F.dropout(torch.ones_like(update[:1]), self.dropout, self.training)


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% the_bug_hunt_undone_the_broken_stack_under_its_new_name | points 0 | the bug hunt undone: the broken stack under its new name
RepairedStack = BrokenStack

# %% transposes_the_first_two_axes | points 0 | transposes the first two axes
class L(BrokenLayer):
    def forward(self, x):
        return F.dropout(self.back(F.gelu(self.wider(x.permute(2, 1, 0)))).permute(2, 1, 0), self.dropout, self.training)
class RepairedStack(BrokenStack):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__(hidden_size, intermediate_size, num_layers, dropout)
        self.layers = nn.ModuleList([L(hidden_size, intermediate_size, dropout) for _ in range(num_layers)])

# %% whole_channels_dropped | points 3 | nn.Dropout1d drops a channel for all tokens at once, so tokens are no longer treated each by itself.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x):
        update = self.back(F.gelu(self.wider(x.transpose(1, 2))))
        return self.dropout(update).transpose(1, 2)


class RepairedStack(nn.Module):
    def __init__(self, hidden_size, intermediate_size, num_layers, dropout=0.1):
        super().__init__()
        self.layers = nn.ModuleList(
            [RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)]
        )

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x

# %% zero_is_no_rate | points 3 | A rate of 0 is taken for none at all: `dropout or 0.1`.
class RepairedLayer(nn.Module):
    """Two convolutions of width 1 with the exact GELU between."""

    def __init__(self, hidden_size: int, intermediate_size: int, dropout: float):
        super().__init__()
        self.wider = nn.Conv1d(hidden_size, intermediate_size, kernel_size=1)
        self.back = nn.Conv1d(intermediate_size, hidden_size, kernel_size=1)
        self.dropout = nn.Dropout(dropout or 0.1)

    def forward(self, x: Tensor) -> Tensor:
        """The update [batch, tokens, hidden]."""
        wide = F.gelu(self.wider(x.transpose(1, 2)))
        return self.dropout(self.back(wide).transpose(1, 2))


class RepairedStack(nn.Module):
    """Feed-forward layers on top of each other, each added to what it was given."""

    def __init__(
        self, hidden_size: int, intermediate_size: int, num_layers: int, dropout: float = 0.1
    ):
        super().__init__()
        self.layers = nn.ModuleList(
            RepairedLayer(hidden_size, intermediate_size, dropout) for _ in range(num_layers)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map [batch, tokens, hidden] to [batch, tokens, hidden]."""
        for layer in self.layers:
            x = x + layer(x)
        return x
