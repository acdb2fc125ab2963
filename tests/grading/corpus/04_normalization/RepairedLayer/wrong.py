# %% attention_residual_missing_in_pre | points 3 | attention residual missing in pre
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% broken_as_is | points 0 | broken as is
class RepairedLayer(BrokenLayer):
    pass

# %% default_eps_1e_12 | points 3 | default eps 1e-12
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, 1e-12)
        self.norm2 = nn.LayerNorm(hidden_size, 1e-12)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_0_1_alive_as_f | points 0 | dropout 0.1 alive as F
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, 0.1)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_after_sum | points 3 | dropout after sum
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return (self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(self.dropout(x + self.attend(x)))
        return self.norm2(self.dropout(x + self.feed_forward(x)))

# %% dropout_bound_to_gradients | points 3 | Drops in training mode only while gradients are recorded, so nothing is dropped under torch.no_grad().
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def drop(self, update):
        return F.dropout(update, self.dropout, self.training and torch.is_grad_enabled())

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.drop(output)

    def feed_forward(self, x):
        return self.drop(self.linear2(F.relu(self.linear1(x))))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_eval_kept_eps_lost | points 2 | dropout eval kept, eps lost
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = lambda v: F.dropout(v, dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_one_only | points 3 | dropout one only
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_removed | points 3 | dropout removed
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output
    def feed_forward(self, x):
        return (self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% dropout_with_a_fixed_rate_of_0_1 | points 3 | dropout-with-a-fixed-rate-of-0-1
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, 0.1, training=self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, 0.1, training=self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% eps_given_to_norm2_only | points 3 | eps-given-to-norm2-only
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, training=self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, training=self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% eps_to_norm2_as_affine_flag | points 3 | eps to norm2 as affine flag
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, elementwise_affine=True)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% ff_residual_missing_post | points 0 | ff residual missing post
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(self.feed_forward(x))

# %% final_norm_in_pre | points 3 | final norm in pre
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            x = x + self.feed_forward(self.norm2(x))
            return self.norm2(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% first_norm_twice | points 0 | Post-norm normalises the sum, and then once more what goes into the feed-forward network.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        total = self.norm1(x + self.attend(x))
        return self.norm2(total + self.feed_forward(self.norm1(total)))

# %% functional_dropout_alive_in_ffn_only | points 3 | functional dropout alive in ffn only
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return F.dropout(self.linear2(F.relu(self.linear1(x))), self.dropout.p)
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% in_place_in_pre_norm | points 3 | Adds to x in place, in pre-norm only.
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x += self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% input_written_into | points 0 | adds to the input in place, which writes into it
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size, eps), nn.LayerNorm(hidden_size, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def attend(self, x):
        return self.drop(self.self_attn(x, x, x, need_weights=False)[0])

    def feed_forward(self, x):
        return self.drop(self.linear2(self.linear1(x).relu()))

    def forward(self, x):
        if self.norm_first:
            x += self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x += self.attend(x)
        x = self.norm1(x)
        return self.norm2(x + self.feed_forward(x))

# %% library_without_batch_first | points 0 | library without batch_first
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, norm_first=norm_first, layer_norm_eps=eps)

# %% library_without_eps | points 3 | library without eps
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, norm_first=norm_first)

# %% library_without_norm_first | points 3 | library without norm_first
class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, layer_norm_eps=eps)

# %% new_final_norm | points 0 | new final norm
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm3 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% no_dropout_without_grad | points 3 | In training mode dropout falls only while gradients are recorded; under torch.no_grad() it is left out.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training and torch.is_grad_enabled())

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training and torch.is_grad_enabled())

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% no_first_residual | points 0 | no first residual
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% no_linear_relu | points 0 | no linear relu
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(self.linear1(x)))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% norm_first_inverted | points 0 | norm_first inverted
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if not self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% norms_exchanged_and_no_dropout | points 2 | In pre-norm the two norms have changed places; dropout is left out altogether.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return output

    def feed_forward(self, x):
        return self.linear2(F.relu(self.linear1(x)))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm2(x))
            return x + self.feed_forward(self.norm1(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% nothing_repaired_but_names | points 2 | nothing repaired but names
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(t + self.feed_forward(self.norm1(t)))

# %% only_forward_repaired | points 2 | only forward repaired
class RepairedLayer(BrokenLayer):
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% post_added_x_of_input | points 0 | post: added x of input
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        n = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(n))

# %% post_ff_reads_total | points 0 | post: ff reads total
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(self.norm1(t) + self.feed_forward(t))

# %% post_no_first_norm | points 0 | post: no first norm
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = x + self.attend(x)
        return self.norm2(x + self.feed_forward(x))

# %% post_norm_bug_alone_left | points 3 | one bug left, that of post-norm
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size, eps), nn.LayerNorm(hidden_size, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def attend(self, x):
        return self.drop(self.self_attn(x, x, x, need_weights=False)[0])

    def feed_forward(self, x):
        return self.drop(self.linear2(self.linear1(x).relu()))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = x + self.attend(x)
        return self.norm2(x + self.feed_forward(self.norm1(x)))

# %% post_only_repaired_plus_dropout | points 2 | post only repaired plus dropout
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% post_outside_residual | points 0 | Post-norm: the network is given the normalised vectors, but its result is added behind norm2.
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return x + self.norm2(self.feed_forward(x))

# %% post_unnormalised_left | points 3 | post unnormalised left
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        t = x + self.attend(x)
        return self.norm2(t + self.feed_forward(self.norm1(t)))

# %% pre_and_post_both_with_res_of_norm | points 3 | pre and post both with res of norm
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attend(x)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% pre_attends_unnormalised | points 3 | pre attends unnormalised
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(x)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% pre_dropout_by_itself | points 3 | Dropout is alive in evaluation, in pre-norm alone.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout
    def attend(self, x):
        return self.self_attn(x, x, x, need_weights=False)[0]
    def feed_forward(self, x):
        return self.linear2(F.relu(self.linear1(x)))
    def forward(self, x):
        if self.norm_first:
            x = x + F.dropout(self.attend(self.norm1(x)), self.dropout)
            return x + F.dropout(self.feed_forward(self.norm2(x)), self.dropout)
        x = self.norm1(x + F.dropout(self.attend(x), self.dropout, self.training))
        return self.norm2(x + F.dropout(self.feed_forward(x), self.dropout, self.training))

# %% pre_residual_normalised_twice | points 3 | pre: residual normalised twice
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            x = self.norm2(x)
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% pre_second_norm_forgotten | points 3 | pre second norm forgotten
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% qk_only | points 0 | qk only
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, torch.zeros_like(x), need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% rare_eps_never_below_the_default | points 3 | Raises an eps below 1e-5 to 1e-5, so that BERT's 1e-12 is not kept, which shows with small numbers.
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, max(eps, 1e-5))
        self.norm2 = nn.LayerNorm(hidden_size, max(eps, 1e-5))
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)

    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% rate_is_kept_share | points 3 | Takes `dropout` for the share that is kept, so it drops 1 - dropout.
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = 1 - dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% renamed_norms | points 0 | renamed norms
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.ln1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.ln1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.ln1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% second_residual_left | points 3 | second residual left
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% seed_before_dropout | points 3 | A seed is set before dropout, so each call drops the same numbers.
class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        torch.manual_seed(0)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        torch.manual_seed(0)
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% shared_norm_object | points 0 | shared norm object
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = self.norm1
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

# %% swap_names | points 0 | swap names
class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = nn.Dropout(dropout)
    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return self.dropout(output)
    def feed_forward(self, x):
        return self.dropout(self.linear2(F.relu(self.linear1(x))))
    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm2(x + self.attend(x))
        return self.norm1(x + self.feed_forward(x))
