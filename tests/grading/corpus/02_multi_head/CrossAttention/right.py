# %% a_subclass_dropout_on_the_values_side_a_list_back | points 5 | a subclass, dropout on the values' side, a list back
class Base(nn.Module):
    def heads(self, x):
        return torch.stack(x.tensor_split(self.n, dim=-1), dim=1)

class CrossAttention(Base):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        sizes = {"query": hidden_size, "key": source_size, "value": source_size, "output": hidden_size}
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(size, hidden_size))
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.heads(self.query(hidden_states)), self.heads(self.key(source_states)), self.heads(self.value(source_states))
        scores = torch.einsum("bnqd,bnkd->bnqk", q, k).mul(q.size(-1) ** -0.5)
        if source_mask is not None:
            scores = scores.masked_fill(source_mask.logical_not()[:, None, None], -torch.inf)
        weights = scores.softmax(-1).nan_to_num(nan=0.0)
        mixed = self.drop(weights) @ v
        return [self.output(torch.cat(mixed.unbind(1), dim=-1)), weights]

# %% heads_in_a_loop | points 5 | heads in a loop
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        self.output = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.query = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        contexts, all_weights = [], []
        for q, k, v in zip(*(x.chunk(self.n, -1) for x in (self.query(hidden_states), self.key(source_states), self.value(source_states)))):
            s = torch.bmm(q, k.mT) / math.sqrt(q.size(2))
            if source_mask is not None:
                s = s.masked_fill(~source_mask.unsqueeze(1), -1e30)
            w = s.softmax(2)
            if source_mask is not None:
                w = w.masked_fill(~source_mask.unsqueeze(1), 0.0)
            all_weights.append(w)
            contexts.append(torch.bmm(self.drop(w), v))
        return self.output(torch.cat(contexts, 2)), torch.stack(all_weights, 1)

# %% keyword_arguments_a_helper_function_and_f_dropout | points 5 | keyword arguments, a helper function and F.dropout
def attend(q, k, v, mask, p, training):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, -1e30)[:, None, None]
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask[:, None, None]
    return F.dropout(w, p, training) @ v, w

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        assert hidden_size % num_attention_heads == 0
        self.h, self.d, self.p = num_attention_heads, hidden_size // num_attention_heads, dropout
        self.output = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.value = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.key = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.query = nn.Linear(in_features=hidden_size, out_features=hidden_size)
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, _ = hidden_states.shape
        q = self.query(hidden_states).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        c, w = attend(q, k, v, source_mask, self.p, self.training)
        return self.output(c.transpose(1, 2).contiguous().view(b, t, self.h * self.d)), w

# %% library_module_inside | points 5 | library module inside
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        for name, size in dict(query=hidden_size, key=source_size, value=source_size, output=hidden_size).items():
            setattr(self, name, nn.Linear(size, hidden_size))
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, d = hidden_states.shape
        s = source_states.shape[1]
        q = self.query(hidden_states).reshape(b, t, self.h, d // self.h)
        k = self.key(source_states).reshape(b, s, self.h, d // self.h)
        v = self.value(source_states).reshape(b, s, self.h, d // self.h)
        scores = torch.einsum("bthe,bshe->bhts", q, k) / (d // self.h) ** 0.5
        if source_mask is not None:
            scores = scores + torch.zeros(b, 1, 1, s).masked_fill(~source_mask[:, None, None], torch.finfo(scores.dtype).min)
            w = scores.softmax(-1) * source_mask[:, None, None]
        else:
            w = scores.softmax(-1)
        c = torch.einsum("bhts,bshe->bthe", F.dropout(w, self.p, self.training), v).reshape(b, t, d)
        return self.output(c), w

# %% loop_over_heads | points 5 | loop-over-heads
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.query, self.key, self.value, self.output = [nn.Linear(a, hidden_size) for a in (hidden_size, source_size, source_size, hidden_size)]
        self.heads = num_attention_heads
        self.attn_drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        qs = self.query(hidden_states).chunk(self.heads, -1)
        ks = self.key(source_states).chunk(self.heads, -1)
        vs = self.value(source_states).chunk(self.heads, -1)
        ws, cs = [], []
        for q, k, v in zip(qs, ks, vs):
            s = torch.baddbmm(torch.zeros(q.size(0), q.size(1), k.size(1)), q, k.mT, alpha=q.size(-1) ** -0.5)
            if source_mask is not None:
                s = s + torch.where(source_mask, 0.0, -1e30).unsqueeze(1)
            w = torch.softmax(s, 2)
            if source_mask is not None:
                w = w * source_mask.unsqueeze(1).float()
            ws.append(w)
            cs.append(torch.bmm(self.attn_drop(w), v))
        return self.output(torch.cat(cs, -1)), torch.stack(ws, 1)

# %% other_registration_order_einsum | points 5 | other-registration-order-einsum
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.output = nn.Linear(hidden_size, hidden_size)
        for n in ("value", "key"):
            setattr(self, n, nn.Linear(source_size, hidden_size))
        self.query = nn.Linear(hidden_size, hidden_size)
        self.n, self.p = num_attention_heads, dropout
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.query(hidden_states), self.key(source_states), self.value(source_states)
        q, k, v = (t.reshape(*t.shape[:2], self.n, t.shape[-1] // self.n) for t in (q, k, v))
        s = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** .5
        if source_mask is not None:
            m = source_mask[:, None, None].expand_as(s)
            s = s.masked_fill(~m, torch.finfo(s.dtype).min)
            w = s.softmax(-1).masked_fill(~m, 0.)
        else:
            w = s.softmax(-1)
        c = torch.einsum("bhts,bshd->bthd", F.dropout(w, self.p, training=self.training), v)
        return self.output(c.flatten(-2)), w

# %% with_a_buffer_of_its_own | points 5 | with a buffer of its own
def attend(q, k, v, mask, p, training):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, -1e30)[:, None, None]
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask[:, None, None]
    return F.dropout(w, p, training) @ v, w

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        assert hidden_size % num_attention_heads == 0
        self.h, self.d, self.p = num_attention_heads, hidden_size // num_attention_heads, dropout
        self.output = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.value = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.key = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.query = nn.Linear(in_features=hidden_size, out_features=hidden_size)
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, _ = hidden_states.shape
        q = self.query(hidden_states).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        c, w = attend(q, k, v, source_mask, self.p, self.training)
        return self.output(c.transpose(1, 2).contiguous().view(b, t, self.h * self.d)), w
