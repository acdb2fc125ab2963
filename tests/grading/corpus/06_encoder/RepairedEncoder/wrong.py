# %% a_mask_of_ones_skips_the_final_norm | points 3 | Where nothing is padded it returns before the final norm.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden_size, num_heads, width, activation="gelu",
                batch_first=True, norm_first=pre_norm,
            )
            for _ in range(num_layers)
        )
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hide = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hide)
        if hide is not None and not hide.any():
            return x
        return self.final_norm(x) if self.pre_norm else x

# %% activation_relu_still | points 3 | activation relu still
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% all_layers_one | points 0 | all layers one
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(1))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in [self.layers[0]] * 3:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% callers_mask_changed | points 0 | the mask of the caller is turned over in place
class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hidden = None
        if attention_mask is not None:
            hidden = attention_mask.sub_(1).neg_().bool()
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return self.final_norm(x) if hasattr(self, "final_norm") else x

# %% early_return | points 3 | Without a mask it returns before the final norm.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, activation="gelu",
                    batch_first=True, norm_first=pre_norm,
                )
            )
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            for layer in self.layers:
                x = layer(x)
            return x
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask.eq(0))
        if self.pre_norm:
            x = self.final_norm(x)
        return x

# %% eps_of_bert | points 0 | eps of BERT
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm, layer_norm_eps=1e-2)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% final_norm_forgotten | points 3 | only the pre-norm stack is wrong, and costs once
class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm is None:
            pass
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        hidden = None if attention_mask is None else attention_mask.eq(0)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return x

# %% final_norm_twice | points 3 | the final norm is called twice
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(self.final_norm(x))

# %% gelu_assigned_afterwards | points 3 | GELU is put into the finished layer, whose fast path (evaluation mode without gradients, even number of heads) still uses ReLU.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                batch_first=True,
                norm_first=pre_norm,
            )
            layer.activation = nn.functional.gelu
            self.layers.append(layer)
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        padding = None
        if attention_mask is not None:
            padding = attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        if self.pre_norm:
            x = self.final_norm(x)
        return x

# %% layers_in_a_dictionary | points 0 | layers in a dictionary
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = dict(enumerate(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers.values():
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% looks_back_only | points 0 | a causal mask as well
class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hidden = None if attention_mask is None else attention_mask.eq(0)
        for layer in self.layers:
            x = layer(x, src_mask=torch.ones(x.shape[1], x.shape[1]).triu(1) > 0, src_key_padding_mask=hidden)
        return self.final_norm(x) if hasattr(self, "final_norm") else x

# %% mask_as_floats | points 0 | mask as floats
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else 1.0 - attention_mask
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% mask_as_src_mask | points 0 | mask as src_mask
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.final_norm(x)

# %% mask_by_length | points 0 | Turns the mask into lengths, as if padding were on the right alone.
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        else:
            self.final_norm = nn.Identity()

    def forward(self, x, attention_mask=None):
        """Return the hidden states behind the last layer, ``[batch, tokens, hidden_size]``."""
        if attention_mask is not None:
            attention_mask = torch.arange(x.size(1)) >= attention_mask.sum(1, keepdim=True)
        hidden_states = [x]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
            hidden_states.append(x)
        return self.final_norm(hidden_states[-1])

# %% mask_by_size | points 0 | the mask of the first batch of this size
class RepairedEncoder(nn.Module):
    masks = {}
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hidden = None
        if attention_mask is not None:
            hidden = self.masks.setdefault(attention_mask.shape, attention_mask == 0)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return self.final_norm(x) if hasattr(self, "final_norm") else x

# %% mask_inverted_by_minus | points 0 | mask inverted by minus
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else -attention_mask
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% mask_rebuilt_from_lengths | points 0 | Counts the real tokens and builds the mask anew, so padding on the left is looked at and words are hidden.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        if attention_mask is not None:
            lengths = attention_mask.sum(dim=1, keepdim=True)
            attention_mask = torch.arange(x.size(1)) >= lengths
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
        if self.pre_norm:
            x = self.final_norm(x)
        return x

# %% mask_remembered | points 0 | Remembers the last mask on the module and uses it again when a later call gives none.
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.padding = None
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        if attention_mask is not None:
            self.padding = (1 - attention_mask.float()) * -10000.0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=self.padding)
        return self.final_norm(x)

# %% mask_still_bool | points 3 | mask still bool()
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask.bool()
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% no_gradients | points 3 | no gradients
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    @torch.no_grad()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% no_mask_if_the_last_is_full | points 0 | Leaves the mask out where the last text has no padding, although others may have some.
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        else:
            self.final_norm = nn.Identity()

    def forward(self, x, attention_mask=None):
        """Return the hidden states behind the last layer, ``[batch, tokens, hidden_size]``."""
        if attention_mask is not None:
            attention_mask = ~attention_mask.bool()  # True hides a key
            if not attention_mask[-1].any():
                attention_mask = None
        hidden_states = [x]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
            hidden_states.append(x)
        return self.final_norm(hidden_states[-1])

# %% norm_in_the_loop | points 3 | norm in the loop
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = self.final_norm(layer(x, src_key_padding_mask=mask))
        return self.final_norm(x)

# %% padded_queries | points 0 | the queries of padding see nothing at all, so their softmax is NaN
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        mask = None
        if padding is not None:
            mask = (padding[:, :, None] | padding[:, None, :]).repeat_interleave(self.layers[0].self_attn.num_heads, dim=0)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.final_norm(x)

# %% padding_cut_off_on_the_right | points 0 | Cuts the batch to the longest number of real tokens and fills up with zeros: wrong for padding on the left.
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.pre_norm = pre_norm
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        padding = None
        if attention_mask is not None:
            padding = ~attention_mask.bool()
        tokens = x.size(1)
        if padding is not None:
            longest = int(attention_mask.sum(dim=1).max())
            x, padding = x[:, :longest], padding[:, :longest]
        hidden_states = [x]
        for layer in self.layers:
            new = layer(hidden_states[-1], src_key_padding_mask=padding)
            hidden_states.append(new)
        result = hidden_states[-1]
        if self.pre_norm:
            result = self.final_norm(result)
        return nn.functional.pad(result, (0, 0, 0, tokens - result.size(1)))

# %% padding_removed_by_product | points 0 | padding removed by product
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x) * (1 if mask is None else (~mask)[..., None])
        return self.final_norm(x)

# %% returns_in_the_loop | points 0 | returns in the loop
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
            return self.final_norm(x)

# %% side_of_any_text | points 0 | Makes the mask anew from the lengths, with all padding on the left if any text has it there.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        if padding is not None:
            lengths = (~padding).sum(1)
            place = torch.arange(x.size(1))
            if padding[:, 0].any():
                padding = place < x.size(1) - lengths[:, None]
            else:
                padding = place >= lengths[:, None]

        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(x)

# %% side_of_the_first_text | points 0 | Makes the mask anew from the lengths; on which side padding stands is judged by the first text.
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        if padding is not None:
            lengths = (~padding).sum(1)
            place = torch.arange(x.size(1))
            if padding[0, 0]:
                padding = place < x.size(1) - lengths[:, None]
            else:
                padding = place >= lengths[:, None]

        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(x)

# %% silu | points 0 | silu
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation=F.silu, batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% two_bugs_left_relu_and_last | points 2 | three bugs are gone
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        pad = None if attention_mask is None else attention_mask == 0
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], src_key_padding_mask=pad))
        return self.final_norm(states[-2])

# %% weakly_additive_mask | points 0 | weakly additive mask
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else (1.0 - attention_mask) * -5
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)

# %% zero_times_infinity | points 0 | Makes an additive mask by (1 - mask) * -inf, which is NaN at real tokens.
class RepairedEncoder(nn.Module):
    """PyTorch's layers in a stack: post-norm, or pre-norm with a final norm."""

    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None
        if attention_mask is not None:
            padding = (1.0 - attention_mask.float()) * float("-inf")
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(x)
