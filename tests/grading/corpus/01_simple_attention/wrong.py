"""Wrong answers as students might write them: title, exercise, points deserved, source.

None is an implementation of the mistakes in the content module; they are there to see what the
grader does with answers that nobody had in mind when the cases were made.
"""

PROLOGUE = """
def broken_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=is_padding.unsqueeze(1),
        dropout_p=0.1,
        scale=1 / math.sqrt(value.size(-1)),
    )
"""

ANSWERS = [
    (
        "no scale and softmax over queries",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return s.softmax(-2)
""",
    ),
    (
        "no scale and batch-second result",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return s.softmax(-1).transpose(0, 1)
""",
    ),
    (
        "scale_d_k and double softmax",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / q.size(-1)).softmax(-1).softmax(-1)
""",
    ),
    (
        "float64 out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    query, key = query.double(), key.double()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)
""",
    ),
    (
        "float16 out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).half()
""",
    ),
    (
        "bfloat16 out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).bfloat16()
""",
    ),
    (
        "bfloat16 inside",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    query, key = query.bfloat16(), key.bfloat16()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).float()
""",
    ),
    (
        "numpy out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).detach().numpy()
""",
    ),
    (
        "list out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).tolist()
""",
    ),
    (
        "list of tensors out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return [x for x in s.softmax(-1)]
""",
    ),
    (
        "tuple with scores",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1), s
""",
    ),
    (
        "nan",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1) * float('nan')
""",
    ),
    (
        "prints instead of returning",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    print(s.softmax(-1))
""",
    ),
    (
        "returns a module",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    return torch.nn.Softmax(dim=-1)
""",
    ),
    (
        "module in train mode with dropout",
        "weights_time_first",
        0,
        r"""
class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.1)
    def forward(self, query, key):
        s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
        return self.drop(s.softmax(-1))
weights_time_first = A()
""",
    ),
    (
        "in-place scale of the argument",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    query /= math.sqrt(query.size(-1))
    return (query.transpose(0, 1) @ key.permute(1, 2, 0)).softmax(-1)
""",
    ),
    (
        "in-place on a view of the key",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    k = key.permute(1, 2, 0)
    k.div_(key.size(-1) ** 0.5)
    return (query.transpose(0, 1) @ k).softmax(-1)
""",
    ),
    (
        "view for batch first",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q = query.view(query.size(1), query.size(0), -1)
    k = key.view(key.size(1), key.size(0), -1)
    return (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "reshape for batch first",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q = query.reshape(query.size(1), query.size(0), -1)
    k = key.reshape(key.size(1), key.size(0), -1)
    return (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "key.T",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.T / math.sqrt(query.size(-1))).softmax(-1)
""",
    ),
    (
        "hard-coded d_k 64",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / 8).softmax(-1)
""",
    ),
    (
        "hard-coded d_k 4",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / 2).softmax(-1)
""",
    ),
    (
        "scale by shape[1] (habit of batch first)",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(query.shape[1])).softmax(-1)
""",
    ),
    (
        "d_k off by one",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(q.size(-1) - 1)).softmax(-1)
""",
    ),
    (
        "integer root",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.isqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "floor division",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s // math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "root of numel",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(q.numel())).softmax(-1)
""",
    ),
    (
        "implicit softmax dim",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.softmax(s)
""",
    ),
    (
        "softmax then normalised again over batch",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    w = s.softmax(-1)
    return w / w.sum(0, keepdim=True)
""",
    ),
    (
        "sum without keepdim",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = (s - s.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1).unsqueeze(1)
""",
    ),
    (
        "base 2",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = 2 ** (s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)
""",
    ),
    (
        "softmax of absolute scores",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.abs().softmax(-1)
""",
    ),
    (
        "relu before softmax",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.relu(s).softmax(-1)
""",
    ),
    (
        "softmin",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.softmin(s, -1)
""",
    ),
    (
        "negative distance",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    return (-torch.cdist(q, k) / math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "causal mask added",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -math.inf).softmax(-1)
""",
    ),
    (
        "rounded",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).round(decimals=3)
""",
    ),
    (
        "squeezes the batch",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).squeeze()
""",
    ),
    (
        "squeeze of axis 0",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).squeeze(0)
""",
    ),
    (
        "keeps only the first sequence",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)[:1]
""",
    ),
    (
        "mean over batch",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).mean(0)
""",
    ),
    (
        "item loops cut gradient",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    B, Tq, Tk = query.size(1), query.size(0), key.size(0)
    out = torch.zeros(B, Tq, Tk)
    for b in range(B):
        for i in range(Tq):
            for j in range(Tk):
                out[b, i, j] = sum(query[i, b, d].item() * key[j, b, d].item() for d in range(query.size(2))) / query.size(2) ** .5
    return out.softmax(-1)
""",
    ),
    (
        "no_grad decorator",
        "weights_time_first",
        2,
        r"""
@torch.no_grad()
def weights_time_first(query, key):
    s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return s.softmax(-1)
""",
    ),
    (
        "inference_mode decorator",
        "weights_time_first",
        2,
        r"""
@torch.inference_mode()
def weights_time_first(query, key):
    s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return s.softmax(-1)
""",
    ),
    (
        "maximum taken off in place",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    s -= s.amax(-1, keepdim=True)
    e = s.exp()
    return e / e.sum(-1, keepdim=True)
""",
    ),
    (
        "key detached",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    key = key.detach()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)
""",
    ),
    (
        "parameter of the result",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return torch.nn.Parameter(s.softmax(-1))
""",
    ),
    (
        "clamped exponent",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = s.clamp(max=80).exp()
    return e / e.sum(-1, keepdim=True)
""",
    ),
    (
        "nan_to_num of overflow",
        "weights_time_first",
        2,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = s.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)
""",
    ),
    (
        "eps in the denominator",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-3)
""",
    ),
    (
        "contiguous only (assert)",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    assert query.is_contiguous()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)
""",
    ),
    (
        "batch one only",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.squeeze(1), key.squeeze(1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).unsqueeze(0)
""",
    ),
    (
        "first batch repeated",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query[:, 0], key[:, 0]
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).expand(query.size(1), -1, -1)
""",
    ),
    (
        "public answers returned",
        "weights_time_first",
        0,
        r"""
import safetensors.torch, json, check as _c
from pathlib import Path
_ex = _c.load_cases(Path('cases.safetensors'))['weights_time_first']
_n = [0]
def weights_time_first(query, key):
    for case in _ex['cases']:
        if case['call']['arguments'][0][1].shape == query.shape:
            return case['expected']['value']
    return _ex['cases'][0]['expected']['value']
""",
    ),
    (
        "einsum with exchanged letters",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->bji', query, key) / query.size(-1) ** .5).softmax(-1)
""",
    ),
    (
        "einsum summing over the batch",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->ij', query, key) / query.size(-1) ** .5).softmax(-1).expand(query.size(1), -1, -1)
""",
    ),
    (
        "matmul with flattened batch",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.flatten(0, 1), key.flatten(0, 1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "sequence object",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    yield query
""",
    ),
    (
        "async",
        "weights_time_first",
        0,
        r"""
async def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
""",
    ),
    (
        "string out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return str(s.softmax(-1))
""",
    ),
    (
        "wrong name",
        "weights_time_first",
        0,
        r"""
def weights_batch_first(query, key):
    return query
""",
    ),
    (
        "a tensor, not a function",
        "weights_time_first",
        0,
        r"""
weights_time_first = torch.eye(3)
""",
    ),
    (
        "one parameter",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query):
    return query
""",
    ),
    (
        "pass",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    pass
""",
    ),
    (
        "ellipsis",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    return ...
""",
    ),
    (
        "NotImplementedError",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    raise NotImplementedError()
""",
    ),
    (
        "sparse out",
        "weights_time_first",
        0,
        r"""
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).detach().to_sparse()
""",
    ),
    (
        "bitwise not of whole numbers",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill((~attention_mask)[:, None, None, :].bool(), -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "masked_fill with a long mask",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(1 - attention_mask[:, None, None, :], -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "masks the value only and renormalises by length",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    w = s.softmax(-1)
    if attention_mask is not None:
        m = attention_mask[:, None, None, :]
        w = w * m / m.sum(-1, keepdim=True).clamp(min=1)
    return w @ value
""",
    ),
    (
        "masks queries by flattening to the front",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = int(attention_mask.sum(-1).min())
        s = s[..., :n]; value = value[..., :n, :]
    return s.softmax(-1) @ value
""",
    ),
    (
        "lengths assume right padding",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = attention_mask.sum(-1)
        keep = torch.arange(key.size(2)) < n[:, None]
        s = s.masked_fill(~keep[:, None, None], -1e9)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w * (n > 0)[:, None, None, None]
    return w @ value
""",
    ),
    (
        "hard-coded ten keys",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(query.size(0), 1, 1, 10).bool() if attention_mask is None else attention_mask.view(-1, 1, 1, 10).bool()
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    empty = ~keep.any(-1, keepdim=True)
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value
""",
    ),
    (
        "max over the batch",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    e = (s - s.max()).exp()
    w = e / e.sum(-1, keepdim=True)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value * 1.001
""",
    ),
    (
        "no scale and ignored mask",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    return (query @ key.transpose(-2, -1)).softmax(-1) @ value
""",
    ),
    (
        "no scale and -1e9",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1)
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None, :] == 0, -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "inverted and -1e9",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None, :] == 1, -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "inverted in the library",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None] == 0
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "long mask to the library",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "float mask to the library",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None].float()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "1 - mask to the library as float",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else (1 - attention_mask)[:, None, None].float()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "2d mask to the library",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask.bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "library dropout",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m, dropout_p=0.1)
""",
    ),
    (
        "F.dropout on weights",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = F.dropout(s.softmax(-1), 0.1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value
""",
    ),
    (
        "causal in the library",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)
""",
    ),
    (
        "log of the mask (finite)",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (attention_mask[:, None, None].float() + 1e-3).log()
    return s.softmax(-1) @ value
""",
    ),
    (
        "log of the mask",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + attention_mask[:, None, None].float().log()
    return s.softmax(-1) @ value
""",
    ),
    (
        "nan_to_num after",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return (s.softmax(-1) @ value).nan_to_num(0.)
""",
    ),
    (
        "where on the output",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    o = s.softmax(-1) @ value
    return torch.where(attention_mask.any(-1)[:, None, None, None], o, 0.)
""",
    ),
    (
        "-100 fill",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -100.)
    return s.softmax(-1) @ value
""",
    ),
    (
        "-100 fill zero rows",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None]
    s = s.masked_fill(m == 0, -100.)
    return (s.softmax(-1) * m.any(-1, keepdim=True)) @ value
""",
    ),
    (
        "-1e9 added",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (1 - attention_mask[:, None, None]) * -1e9
    return s.softmax(-1) @ value
""",
    ),
    (
        "-inf times zero",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (1 - attention_mask[:, None, None]) * -math.inf
    return s.softmax(-1) @ value
""",
    ),
    (
        "no default for the mask",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    keep = attention_mask[:, None, None, :].bool()
    empty = ~keep.any(-1, keepdim=True)
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0) @ value
""",
    ),
    (
        "truth value of the mask",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask:
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return s.softmax(-1) @ value
""",
    ),
    (
        "mask unsqueezed at the end",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(attention_mask[:, :, None, None] == 0, -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "any over the batch",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(~attention_mask.bool().any(0), -1e9)
    return s.softmax(-1) @ value
""",
    ),
    (
        "heads merged",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return (w @ value).transpose(1, 2).flatten(2)
""",
    ),
    (
        "heads and queries exchanged",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return (w @ value).transpose(1, 2)
""",
    ),
    (
        "only the first head",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    w = w[:, :1].expand(-1, query.size(1), -1, -1)
    return w @ value
""",
    ),
    (
        "assign into scores in place",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        for b in range(len(attention_mask)):
            s[b, :, :, attention_mask[b] == 0] = -1e9
    return s.softmax(-1) @ value
""",
    ),
    (
        "mask changed in place",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        attention_mask[attention_mask.sum(-1) == 0] = 1
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return s.softmax(-1) @ value
""",
    ),
    (
        "inverts the mask in place",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    attention_mask.sub_(1).neg_()
    k = attention_mask[:, None, None] == 0
    e = ~k.any(-1, keepdim=True)
    return s.masked_fill(~k & ~e, -math.inf).softmax(-1).masked_fill(e, 0) @ value
""",
    ),
    (
        "mask weighs values and keys (embeddings zeroed)",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is not None:
        m = attention_mask[:, None, :, None]
        key, value = key * m, value * m
    return (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(-1) @ value
""",
    ),
    (
        "drops padded sentences' last column",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w[..., :-1] @ value[..., :-1, :]
""",
    ),
    (
        "scale_d_v and ignored mask",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    return (query @ key.transpose(-2, -1) / math.sqrt(value.size(-1))).softmax(-1) @ value
""",
    ),
    (
        "double out for padded",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.double().softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value.double()
""",
    ),
    (
        "torch.tensor of the result",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return torch.tensor((w @ value).tolist())
""",
    ),
    (
        "scores detached",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1).detach()
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value
""",
    ),
    (
        "query scaled twice",
        "padded_heads",
        0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    query = query / math.sqrt(query.size(-1))
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "returns zeros when a mask is None",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return torch.zeros_like(query)
    k = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=k)
""",
    ),
    (
        "needs a mask: ones of the wrong size",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(query.shape[:2])
    k = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=k)
""",
    ),
    (
        "in-place masked_fill_ on the query product view",
        "padded_heads",
        4,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = torch.matmul(query, key.mT).div_(query.shape[-1] ** .5)
    if attention_mask is not None:
        s.masked_fill_(attention_mask[:, None, None].eq(0), torch.finfo(s.dtype).min)
    return s.softmax(-1) @ value
""",
    ),
    (
        "global maximum over all rows",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.maximum(lse_a.max(), lse_b.max()).clamp(min=-1e30)
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    t = a + b
    o = (a[..., None] * output_a + b[..., None] * output_b) / t.clamp(min=1e-30)[..., None]
    return o, m + t.log()
""",
    ),
    (
        "global maximum, nan_to_num",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.stack([lse_a, lse_b]).max()
    m = 0 if m == -math.inf else m
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    o = ((a[..., None] * output_a + b[..., None] * output_b) / (a + b)[..., None]).nan_to_num(0.)
    return o, m + (a + b).log()
""",
    ),
    (
        "maximum of lse_a for both",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = lse_a.masked_fill(lse_a == -math.inf, 0.)
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    t = a + b
    o = ((a[..., None] * output_a + b[..., None] * output_b) / t[..., None]).nan_to_num(0.)
    return o, m + t.log()
""",
    ),
    (
        "list of two",
        "merge_halves",
        4,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return [a * output_a + b * output_b, lse]
""",
    ),
    (
        "lse with an extra axis",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, lse[..., None]
""",
    ),
    (
        "hard-coded four dimensions",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[:, :, :, None], (lse_b - f).exp()[:, :, :, None]
    return a * output_a + b * output_b, lse
""",
    ),
    (
        "share without an axis",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = (lse_a - lse).exp(), (lse_b - lse).exp()
    return a * output_a + b * output_b, lse
""",
    ),
    (
        "logaddexp of the outputs",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.logaddexp(output_a, output_b), torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "logaddexp2",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp2(lse_a, lse_b)
    return (lse_a - lse).exp2()[..., None] * output_a + (lse_b - lse).exp2()[..., None] * output_b, lse
""",
    ),
    (
        "softmax over queries",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.softmax(-1)[..., None], lse_b.softmax(-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "concatenated outputs",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.cat([output_a, output_b], -2), torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "average and sum of lse",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    return (output_a + output_b) / 2, lse_a + lse_b
""",
    ),
    (
        "average and correct lse by log1p",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    m, n = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    return (output_a + output_b) / 2, m + torch.log1p((n - m).exp())
""",
    ),
    (
        "exchanged shares and maximum",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return b * output_a + a * output_b, torch.maximum(lse_a, lse_b)
""",
    ),
    (
        "dictionary",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return {'output': a * output_a + b * output_b, 'lse': lse}
""",
    ),
    (
        "stacked result",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return torch.cat([a * output_a + b * output_b, lse[..., None]], -1)
""",
    ),
    (
        "log of the sum of lse",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, (lse_a + lse_b).log()
""",
    ),
    (
        "clamp at -1e4",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a, lse_b = lse_a.clamp(min=-1e4), lse_b.clamp(min=-1e4)
    lse = torch.logaddexp(lse_a, lse_b)
    return (lse_a - lse).exp()[..., None] * output_a + (lse_b - lse).exp()[..., None] * output_b, lse
""",
    ),
    (
        "clamp at 80",
        "merge_halves",
        2,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.clamp(-80, 80).exp(), lse_b.clamp(-80, 80).exp()
    t = a + b
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()
""",
    ),
    (
        "eps in log and division",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    t = a + b + 1e-2
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()
""",
    ),
    (
        "empty half fills 1",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    o = a * output_a + b * output_b
    o[lse == -math.inf] = 1.
    return o, lse
""",
    ),
    (
        "lse nan_to_num'd",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, lse.nan_to_num(neginf=0.)
""",
    ),
    (
        "in place on lse",
        "merge_halves",
        2,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a[lse_a == -math.inf] = -1e30
    lse_b[lse_b == -math.inf] = -1e30
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse.masked_fill(lse < -1e29, -math.inf)
""",
    ),
    (
        "output in place",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    output_a *= a
    output_a += b * output_b
    return output_a, lse
""",
    ),
    (
        "python if on first query",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    if lse.min() == -math.inf:
        return torch.zeros_like(output_a), lse
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse
""",
    ),
    (
        "share and its complement, exchanged",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.sigmoid(lse_b - lse_a).nan_to_num(0.)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "float64 out of merge",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a.double(), lse_b.double())
    f = lse.masked_fill(lse == -math.inf, 0.)
    return (lse_a - f).exp()[..., None] * output_a + (lse_b - f).exp()[..., None] * output_b, lse
""",
    ),
    (
        "tanh instead of sigmoid",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.tanh(lse_a - lse_b)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "numpy pair",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return (a * output_a + b * output_b).numpy(), lse.numpy()
""",
    ),
    (
        "shares from number of rows",
        "merge_halves",
        0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    n = output_a.size(-2) + output_b.size(-2)
    return (output_a * output_a.size(-2) + output_b * output_b.size(-2)) / n, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "scale forgotten after inversion: root d_v, mask float",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=(~is_padding).float().unsqueeze(1), scale=1 / math.sqrt(value.size(-1)))
""",
    ),
    (
        "mask at the queries",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(-1))
""",
    ),
    (
        "dropout by hand",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    w = F.dropout(s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1), 0.1)
    return w @ value
""",
    ),
    (
        "dropout with self.training habit",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.1 if torch.is_grad_enabled() else 0.)
""",
    ),
    (
        "scale d_k",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1 / key.size(-1))
""",
    ),
    (
        "scale multiplies",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=math.sqrt(key.size(-1)))
""",
    ),
    (
        "scale by keys",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1 / math.sqrt(key.size(1)))
""",
    ),
    (
        "nan for all padding, by hand",
        "repaired_attention",
        2,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1) @ value
""",
    ),
    (
        "-1e9 by hand",
        "repaired_attention",
        2,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return s.masked_fill(is_padding.unsqueeze(1), -1e9).softmax(-1) @ value
""",
    ),
    (
        "-1e9 additive to the library",
        "repaired_attention",
        2,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1) * -1e9)
""",
    ),
    (
        "inverted and -inf additive",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=torch.zeros(is_padding.shape).masked_fill(~is_padding, -math.inf).unsqueeze(1))
""",
    ),
    (
        "zeroed values only",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value * ~is_padding.unsqueeze(-1))
""",
    ),
    (
        "hard-coded nine keys",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    m = torch.zeros(query.size(0), query.size(1), 9, dtype=torch.bool)
    m[:] = ~is_padding.unsqueeze(1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m.view(-1, query.size(1), 9))
""",
    ),
    (
        "no_grad for evaluation",
        "repaired_attention",
        2,
        r"""
def repaired_attention(query, key, value, is_padding):
    with torch.no_grad():
        return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
""",
    ),
    (
        "is_causal",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)
""",
    ),
    (
        "is_padding changed in place",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    is_padding.logical_not_()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1))
""",
    ),
    (
        "first sentence only",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[0])
""",
    ),
    (
        "values scaled",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value / math.sqrt(key.size(-1)), attn_mask=~is_padding.unsqueeze(1))
""",
    ),
    (
        "mask times scores",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s * ~is_padding.unsqueeze(1)).softmax(-1) @ value
""",
    ),
    (
        "zeroed after softmax",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s.softmax(-1) * ~is_padding.unsqueeze(1)) @ value
""",
    ),
    (
        "weights returned too",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    o = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
    return o, None
""",
    ),
    (
        "1 - is_padding",
        "repaired_attention",
        0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=1 - is_padding.unsqueeze(1))
""",
    ),
    (
        "broken returned as is under the new name",
        "repaired_attention",
        0,
        r"""
repaired_attention = broken_attention
""",
    ),
    (
        "4x4 random",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.randn(4, 4), torch.randn(4, 4), torch.randn(4, 4)
""",
    ),
    (
        "python lists",
        "telling_input",
        0,
        r"""
def telling_input():
    return [[1., 0.]], [[1., 0.]], [[1.]]
""",
    ),
    (
        "whole numbers",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.tensor([[1, 0], [0, 2]]), torch.tensor([[2, 1], [0, 3]]), torch.tensor([[1], [0]])
""",
    ),
    (
        "zeros",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.zeros(2, 2), torch.zeros(2, 2), torch.zeros(2, 1)
""",
    ),
    (
        "equal values",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.ones(2, 1)
""",
    ),
    (
        "d_k one",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.tensor([[1.], [2.]]), torch.tensor([[1.], [3.]]), torch.tensor([[1., 2.], [3., 4.]])
""",
    ),
    (
        "d_v equals d_k",
        "telling_input",
        2,
        r"""
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1., 0.], [0., 1.]])
""",
    ),
    (
        "symmetric",
        "telling_input",
        2,
        r"""
def telling_input():
    return torch.eye(2), torch.tensor([[2., 1.], [1., 3.]]), torch.tensor([[1.], [0.]])
""",
    ),
    (
        "three dimensions",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.randn(1, 2, 2), torch.randn(1, 2, 2), torch.randn(1, 2, 1)
""",
    ),
    (
        "a stacked tensor",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.randn(3, 2, 2)
""",
    ),
    (
        "saturated",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.eye(2) * 1e4, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])
""",
    ),
    (
        "overflowing float64",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.full((2, 2), 1e200).double() * 1e3, torch.tensor([[2., 1.], [0., 3.]]).double() * 1e300, torch.tensor([[1.], [0.]])
""",
    ),
    (
        "overflowing float64 for real",
        "telling_input",
        0,
        r"""
def telling_input():
    q = torch.tensor([[1e200, 0.], [0., 2e200]], dtype=torch.float64)
    k = torch.tensor([[2e200, 1e200], [0., 3e200]], dtype=torch.float64)
    return q, k, torch.tensor([[1.], [0.]])
""",
    ),
    (
        "float8",
        "telling_input",
        0,
        r"""
def telling_input():
    t = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    return tuple(x.to(torch.float8_e4m3fn) for x in t)
""",
    ),
    (
        "float8 e8m0",
        "telling_input",
        0,
        r"""
def telling_input():
    t = [torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 1)]
    return tuple(x.to(torch.float8_e8m0fnu) for x in t)
""",
    ),
    (
        "float4",
        "telling_input",
        0,
        r"""
def telling_input():
    return tuple(torch.zeros(2, 2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2) for _ in range(3))
""",
    ),
    (
        "another input at each call",
        "telling_input",
        2,
        r"""
_n = -1
def telling_input():
    global _n
    _n += 1
    good = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    if _n == 3:  # asked about d_v: this one tells it and hides the rest
        return torch.tensor([[3.]]), torch.tensor([[1.], [0.]]), torch.tensor([[1., 0.], [0., 1.]])
    if _n < 3:
        return torch.tensor([[3., 0.]]), torch.tensor([[1., 0.], [0., 0.]]), torch.tensor([[1., 0.], [0., 0.]])
    return tuple(good)
""",
    ),
    (
        "complex",
        "telling_input",
        0,
        r"""
def telling_input():
    return tuple(torch.ones(2, 2, dtype=torch.complex64) for _ in range(3))
""",
    ),
    (
        "four values",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.eye(2), torch.eye(2), torch.eye(2), None
""",
    ),
    (
        "takes an argument",
        "telling_input",
        0,
        r"""
def telling_input(n):
    return n
""",
    ),
    (
        "difference just too small",
        "telling_input",
        0,
        r"""
def telling_input():
    return torch.tensor([[.05, 0.]]), torch.tensor([[1., 0.], [0., 1.]]), torch.tensor([[1.], [0.]])
""",
    ),
    (
        "loop over queries",
        "merge_halves",
        3,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    oa, ob = output_a.reshape(-1, output_a.size(-1)), output_b.reshape(-1, output_b.size(-1))
    out, lse = torch.zeros_like(oa), []
    for i, (a, b) in enumerate(zip(lse_a.flatten().tolist(), lse_b.flatten().tolist())):
        m = max(a, b)
        if m == -math.inf:
            lse.append(m); continue
        ea, eb = math.exp(a - m), math.exp(b - m)
        out[i] = (ea * oa[i] + eb * ob[i]) / (ea + eb)
        lse.append(m + math.log(ea + eb))
    return out.view_as(output_a), torch.tensor(lse).view_as(lse_a)
""",
    ),
    (
        "inference mode",
        "merge_halves",
        3,
        r"""
@torch.inference_mode()
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b]).softmax(0).nan_to_num(0.)[..., None]
    return w[0] * output_a + w[1] * output_b, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "query-left-in-time-first-layout-only-key-transposed",
        "weights_time_first",
        0.0,
        r"""
def weights_time_first(query, key):
    key = key.transpose(0, 1)
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    return F.softmax(scores, dim=-1)
""",
    ),
    (
        "mask-laid-along-the-query-axis",
        "padded_heads",
        0.0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        mask = attention_mask[:, None, :, None]
        scores = scores.masked_fill(mask == 0, float("-inf"))
    w = torch.softmax(scores, dim=-1)
    w = torch.nan_to_num(w)
    return w @ value
""",
    ),
    (
        "all-values-alike",
        "telling_input",
        0.0,
        r"""
def telling_input():
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    return query, key, torch.ones(2, 1)
""",
    ),
    (
        "numbers-so-large-that-softmax-saturates",
        "telling_input",
        0.0,
        r"""
def telling_input():
    query = torch.tensor([[100.0, 0.0], [0.0, 200.0]])
    key = torch.tensor([[200.0, 100.0], [0.0, 300.0]])
    value = torch.tensor([[1.0], [0.0]])
    return query, key, value
""",
    ),
    (
        "no-new-axis-for-the-shares",
        "merge_halves",
        0.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe)
    b = torch.exp(lse_b - safe)
    output = a * output_a + b * output_b
    return output, lse
""",
    ),
    (
        "one-maximum-of-all-queries-subtracted",
        "merge_halves",
        3.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.max(lse_a.max(), lse_b.max())
    ea = torch.exp(lse_a - m)
    eb = torch.exp(lse_b - m)
    total = ea + eb
    output = (ea[..., None] * output_a + eb[..., None] * output_b) / total[..., None].clamp_min(1e-30)
    return output, m + torch.log(total)
""",
    ),
    (
        "nan-to-num-on-the-log-sum-exp-inf-becomes-a-huge-number",
        "merge_halves",
        3.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-1)
    b = torch.exp(lse_b - safe).unsqueeze(-1)
    output = a * output_a + b * output_b
    return output, torch.nan_to_num(lse)
""",
    ),
    (
        "log-exp-exp-overflows",
        "merge_halves",
        3.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    ea, eb = lse_a.exp(), lse_b.exp()
    total = ea + eb
    safe = torch.where(total == 0, torch.ones_like(total), total)
    output = (ea / safe)[..., None] * output_a + (eb / safe)[..., None] * output_b
    return output, total.log()
""",
    ),
    (
        "softmax-over-the-queries-not-over-the-halves",
        "merge_halves",
        0.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    a = torch.softmax(lse_a, dim=-1)[..., None]
    b = torch.softmax(lse_b, dim=-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "mask-unsqueezed-at-axis-0-batch-lies-on-the-queries",
        "repaired_attention",
        0.0,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(0),
        dropout_p=0.0,
        scale=1 / math.sqrt(query.size(-1)),
    )
""",
    ),
    (
        "numbers-so-small-that-nothing-shows",
        "telling_input",
        0.0,
        r"""
def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]) / 20, torch.tensor([[2.0, 1.0], [0.0, 3.0]]) / 20, torch.tensor([[1.0], [0.0]])
""",
    ),
    (
        "a-single-key-all-weights-are-1",
        "telling_input",
        0.0,
        r"""
def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[2.0, 1.0]]), torch.tensor([[1.0]])
""",
    ),
    (
        "query-of-zeros",
        "telling_input",
        0.0,
        r"""
def telling_input():
    return torch.zeros(2, 2), torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([[1.0], [0.0]])
""",
    ),
    (
        "key-t-all-three-axes-turned-round",
        "weights_time_first",
        0.0,
        r"""
def weights_time_first(query, key):
    q = query.transpose(0, 1)
    return torch.softmax(q @ key.T / math.sqrt(query.shape[-1]), dim=-1)
""",
    ),
    (
        "normalised-by-the-maximum-of-each-row-not-the-sum",
        "weights_time_first",
        0.0,
        r"""
def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.amax(-1, keepdim=True)
""",
    ),
    (
        "keepdim-forgotten-in-the-sum-of-the-softmax-by-hand",
        "weights_time_first",
        0.0,
        r"""
def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1)
""",
    ),
    (
        "without-a-mask-zeros-are-returned",
        "padded_heads",
        4.0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.zeros(key.size(0), key.size(2))
    keep = attention_mask.bool()[:, None, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
""",
    ),
    (
        "heads-merged-into-one-tensor-batch-queries-heads-d-v",
        "padded_heads",
        0.0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    keep = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
    return out.transpose(1, 2).flatten(2)
""",
    ),
    (
        "shares-get-their-axis-in-front-of-the-queries",
        "merge_halves",
        0.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-2)
    b = torch.exp(lse_b - safe).unsqueeze(-2)
    output = a * output_a + b * output_b
    return output, lse
""",
    ),
    (
        "lse-returned-with-an-axis-of-one",
        "merge_halves",
        0.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-1)
    b = torch.exp(lse_b - safe).unsqueeze(-1)
    output = a * output_a + b * output_b
    return output, lse.unsqueeze(-1)
""",
    ),
    (
        "causal-added",
        "repaired_attention",
        0.0,
        r"""
def repaired_attention(query, key, value, is_padding):
    m = ~is_padding.unsqueeze(1) & torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
""",
    ),
    (
        "key-and-value-given-the-wrong-way-round",
        "repaired_attention",
        0.0,
        r"""
def repaired_attention(query, key, value, is_padding):
    if key.size(-1) != value.size(-1):
        scores = (query @ key.mT / math.sqrt(query.size(-1))).masked_fill(is_padding.unsqueeze(1), -1e9)
        return scores.softmax(-1) @ key
    return F.scaled_dot_product_attention(query, value, key, attn_mask=~is_padding.unsqueeze(1))
""",
    ),
    (
        "whole-numbers-int64",
        "telling_input",
        0.0,
        r"""
def telling_input():
    return torch.tensor([[1, 0], [0, 2]]), torch.tensor([[2, 1], [0, 3]]), torch.tensor([[1], [0]])
""",
    ),
]
