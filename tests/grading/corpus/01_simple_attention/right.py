"""Right answers in many styles: title, exercise, points deserved, source."""

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
        "renamed parameters",
        "weights_time_first",
        3,
        r"""
def weights_time_first(q, k):
    return torch.einsum('ibd,jbd->bij', q, k).div(q.size(2) ** .5).softmax(2)
""",
    ),
    (
        "lambda",
        "weights_time_first",
        3,
        r"""
weights_time_first = lambda a, b: (a.transpose(0, 1) @ b.permute(1, 2, 0) / math.sqrt(a.size(-1))).softmax(-1)
""",
    ),
    (
        "module instance",
        "weights_time_first",
        3,
        r"""
class W(torch.nn.Module):
    def forward(self, query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W()
""",
    ),
    (
        "class with __call__",
        "weights_time_first",
        3,
        r"""
class W:
    def __call__(self, query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W()
""",
    ),
    (
        "staticmethod of a class",
        "weights_time_first",
        3,
        r"""
class W:
    @staticmethod
    def f(query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W.f
""",
    ),
    (
        "partial",
        "weights_time_first",
        3,
        r"""
from functools import partial
def _w(dim, query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(dim)
weights_time_first = partial(_w, -1)
""",
    ),
    (
        "vmap",
        "weights_time_first",
        3,
        r"""
def _one(q, k):
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
weights_time_first = torch.vmap(_one, in_dims=1, out_dims=0)
""",
    ),
    (
        "loop over batch with cat",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    return torch.cat([(query[:, b] @ key[:, b].t() / query.shape[-1] ** .5).softmax(1)[None] for b in range(query.shape[1])])
""",
    ),
    (
        "empty tensor filled in place",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    out = torch.empty(query.size(1), query.size(0), key.size(0))
    for b in range(query.size(1)):
        out[b] = torch.softmax(query[:, b] @ key[:, b].T / math.sqrt(query.size(2)), 1)
    return out
""",
    ),
    (
        "broadcast and sum",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    s = (query.permute(1, 0, 2)[:, :, None] * key.permute(1, 0, 2)[:, None]).sum(-1)
    return (s * query.size(-1) ** -.5).softmax(-1)
""",
    ),
    (
        "in place on own copies",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    q = query.clone()
    q /= math.sqrt(q.size(-1))
    s = q.transpose(0, 1) @ key.permute(1, 2, 0)
    s -= s.detach().amax(-1, keepdim=True)
    e = s.exp()
    return e / e.sum(-1, keepdim=True)
""",
    ),
    (
        "non-contiguous result",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    s = torch.einsum('ibd,jbd->jib', query, key) / query.size(-1) ** .5
    return s.softmax(0).permute(2, 1, 0)
""",
    ),
    (
        "tensor subclass",
        "weights_time_first",
        3,
        r"""
class Mine(torch.Tensor):
    pass
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1).as_subclass(Mine)
""",
    ),
    (
        "baddbmm",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    B, i, j = query.size(1), query.size(0), key.size(0)
    return torch.baddbmm(torch.zeros(B, i, j), query.transpose(0, 1), key.permute(1, 2, 0), beta=0, alpha=query.size(-1) ** -.5).softmax(-1)
""",
    ),
    (
        "tensordot and diagonal",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    s = torch.tensordot(query, key, dims=([2], [2]))
    s = torch.diagonal(s, dim1=1, dim2=3).permute(2, 0, 1)
    return F.softmax(s / torch.tensor(query.size(-1)).sqrt(), dim=-1)
""",
    ),
    (
        "numpy for the root only",
        "weights_time_first",
        3,
        r"""
import numpy as np
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / np.sqrt(query.size(-1))).softmax(-1)
""",
    ),
    (
        "MultiheadAttention with identity weights",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    d = query.size(-1)
    m = torch.nn.MultiheadAttention(d, 1, bias=False)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.eye(d).repeat(3, 1)); m.out_proj.weight.copy_(torch.eye(d))
    return m(query, key, key, need_weights=True)[1]
""",
    ),
    (
        "default arguments added",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key, dim=-1, *, scale=None, **more):
    scale = scale or query.size(-1) ** -.5
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) * scale).softmax(dim)
""",
    ),
    (
        "varargs",
        "weights_time_first",
        3,
        r"""
def weights_time_first(*args):
    q, k = (a.transpose(0, 1) for a in args)
    return (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
""",
    ),
    (
        "warns on stderr and prints",
        "weights_time_first",
        3,
        r"""
import warnings, sys
def weights_time_first(query, key):
    warnings.warn('slow'); print('called', query.shape); print('err', file=sys.stderr)
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
""",
    ),
    (
        "lru_cache",
        "weights_time_first",
        3,
        r"""
import functools
@functools.lru_cache
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
""",
    ),
    (
        "one script per pair (item-free double loop)",
        "weights_time_first",
        3,
        r"""
def weights_time_first(query, key):
    rows = [[torch.stack([(query[i, b] * key[j, b]).sum() for j in range(len(key))]) for i in range(len(query))] for b in range(query.size(1))]
    s = torch.stack([torch.stack(x) for x in rows]) / math.sqrt(query.size(2))
    return torch.exp(s - torch.logsumexp(s, -1, keepdim=True))
""",
    ),
    (
        "custom autograd function",
        "weights_time_first",
        3,
        r"""
class Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s):
        w = s.softmax(-1); ctx.save_for_backward(w); return w
    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return w * (g - (g * w).sum(-1, keepdim=True))
def weights_time_first(query, key):
    return Soft.apply(query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1)))
""",
    ),
    (
        "no type hints, nested function and global constant",
        "weights_time_first",
        3,
        r"""
ROOT = 0.5
def weights_time_first(query, key):
    def first(x):
        return x.movedim(1, 0)
    return torch.matmul(first(query), first(key).mT).div_(query.shape[-1] ** ROOT).softmax(-1)
""",
    ),
    (
        "checkpointed",
        "weights_time_first",
        3,
        r"""
from torch.utils.checkpoint import checkpoint
def _w(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
def weights_time_first(query, key):
    return checkpoint(_w, query, key, use_reentrant=False)
""",
    ),
    (
        "library with bool mask",
        "padded_heads",
        5,
        r"""
def padded_heads(q, k, v, m=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else (m == 1)[:, None, None, :])
""",
    ),
    (
        "library with expanded mask",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    mask = attention_mask.bool().view(-1, 1, 1, key.size(2)).expand(-1, query.size(1), query.size(2), -1)
    return F.scaled_dot_product_attention(query, key, value, mask)
""",
    ),
    (
        "module instance",
        "padded_heads",
        5,
        r"""
class A(torch.nn.Module):
    def forward(self, query, key, value, attention_mask=None):
        s = query @ key.mT * query.size(-1) ** -.5
        if attention_mask is None:
            return s.softmax(-1) @ value
        hidden = (attention_mask == 0)[:, None, None]
        w = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(-1).masked_fill(hidden, 0)
        return w @ value
padded_heads = A().eval()
""",
    ),
    (
        "loops over sentences and heads",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    out = query.new_zeros(*query.shape[:3], value.size(-1))
    for b in range(query.size(0)):
        for h in range(query.size(1)):
            keep = slice(None) if attention_mask is None else attention_mask[b].bool()
            k, v = key[b, h][keep], value[b, h][keep]
            if len(k):
                out[b, h] = (query[b, h] @ k.T / math.sqrt(query.size(-1))).softmax(-1) @ v
    return out
""",
    ),
    (
        "chunks of queries",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask.bool()[:, None, None]
    return torch.cat([F.scaled_dot_product_attention(q, key, value, attn_mask=m) for q in query.split(2, dim=2)], dim=2)
""",
    ),
    (
        "vmap over sentences",
        "padded_heads",
        5,
        r"""
def _one(q, k, v, m):
    s = q @ k.mT / math.sqrt(q.size(-1))
    empty = ~m.any()
    w = s.masked_fill(~m & ~empty, -math.inf).softmax(-1)
    return torch.where(empty, 0., w) @ v
def padded_heads(query, key, value, attention_mask=None):
    m = torch.ones(key.size(0), key.size(2), dtype=torch.bool) if attention_mask is None else attention_mask.bool()
    return torch.vmap(_one)(query, key, value, m)
""",
    ),
    (
        "online softmax",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    keep = torch.ones(key.size(0), key.size(2)) if attention_mask is None else attention_mask
    m = query.new_full((*query.shape[:3], 1), -1e30); l = torch.zeros_like(m); o = query.new_zeros(*query.shape[:3], value.size(-1))
    for j in range(key.size(2)):
        s = (query * key[:, :, j:j+1]).sum(-1, keepdim=True) / math.sqrt(query.size(-1))
        on = keep[:, j].bool()[:, None, None, None]
        n = torch.where(on, torch.maximum(m, s), m)
        p = torch.where(on, (s - n).clamp(max=0).exp(), 0.)
        c = (m - n).exp()
        l, o, m = l * c + p, o * c + p * value[:, :, j:j+1], n
    return o / l.clamp(min=1e-30)
""",
    ),
    (
        "gather whole sentences, zero the empty ones",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        return F.scaled_dot_product_attention(query, key, value)
    out = torch.zeros(*query.shape[:3], value.size(3))
    some = attention_mask.any(1)
    out[some] = F.scaled_dot_product_attention(query[some], key[some], value[some], attn_mask=attention_mask[some][:, None, None].bool())
    return out
""",
    ),
    (
        "in float64",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    q, k, v = query.double(), key.double(), value.double()
    s = q @ k.mT / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None].bool()
        w = s.masked_fill(~keep, -1e300).softmax(-1) * keep
    else:
        w = s.softmax(-1)
    return (w @ v).float()
""",
    ),
    (
        "-1e9 and zeroed rows",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.mT / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None].to(s.dtype)
    return (s + (1 - m) * -1e9).softmax(-1) * m @ value
""",
    ),
    (
        "flattened heads and bmm",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    B, H = query.shape[:2]
    q, k, v = (t.reshape(B * H, *t.shape[2:]) for t in (query, key, value))
    s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask.bool().repeat_interleave(H, 0)[:, None]
        empty = ~keep.any(-1, keepdim=True)
        w = s.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0)
    else:
        w = s.softmax(-1)
    return torch.bmm(w, v).view(B, H, *query.shape[2:3], -1)
""",
    ),
    (
        "flex_attention-free compile-free masked tensor by where",
        "padded_heads",
        5,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    s = torch.einsum('bhqd,bhkd->bhqk', query, key).div(query.size(-1) ** .5)
    mask = torch.ones_like(s, dtype=torch.bool) if attention_mask is None else attention_mask[:, None, None].bool().expand_as(s)
    top = torch.where(mask, s, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.).detach()
    e = torch.where(mask, (torch.where(mask, s, top) - top).exp(), 0.)
    return torch.einsum('bhqk,bhkd->bhqd', e / e.sum(-1, keepdim=True).clamp(min=1e-20), value)
""",
    ),
    (
        "helper imported in the cell and mask as keyword-only default",
        "padded_heads",
        5,
        r"""
from torch.nn.functional import scaled_dot_product_attention as sdpa
def _m(m): return m if m is None else m.gt(0).unsqueeze(1).unsqueeze(2)
def padded_heads(query, key, value, attention_mask=None, /):
    return sdpa(query, key, value, _m(attention_mask))
""",
    ),
    (
        "list",
        "merge_halves",
        4,
        r"""
def merge_halves(oa, la, ob, lb):
    lse = torch.logaddexp(la, lb)
    f = lse.masked_fill(lse.isinf(), 0)
    return [oa * (la - f).exp()[..., None] + ob * (lb - f).exp()[..., None], lse]
""",
    ),
    (
        "namedtuple",
        "merge_halves",
        4,
        r"""
from collections import namedtuple
Merged = namedtuple('Merged', 'output lse')
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b], -1).softmax(-1).nan_to_num(0.)
    return Merged(w[..., :1] * output_a + w[..., 1:] * output_b, torch.stack([lse_a, lse_b]).logsumexp(0))
""",
    ),
    (
        "lerp",
        "merge_halves",
        4,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    share = torch.sigmoid(lse_b - lse_a).nan_to_num(0.5).unsqueeze(-1)
    return torch.lerp(output_a, output_b, share), torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "naive in float64",
        "merge_halves",
        4,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.double().exp(), lse_b.double().exp()
    t = a + b
    o = (a[..., None] * output_a + b[..., None] * output_b) / t[..., None]
    return o.nan_to_num(0.).float(), t.log().float()
""",
    ),
    (
        "maximum and log1p",
        "merge_halves",
        4,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    hi, lo = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    d = (lo - hi).nan_to_num(0., neginf=-math.inf)
    lse = hi + torch.log1p(d.exp())
    p = (1 / (1 + d.exp()))[..., None]
    first = (lse_a >= lse_b)[..., None]
    return torch.where(first, p * output_a + (1 - p) * output_b, (1 - p) * output_a + p * output_b), lse
""",
    ),
    (
        "generic over many halves",
        "merge_halves",
        4,
        r"""
def merge(*halves):
    lse = torch.stack([l for _, l in halves]); o = torch.stack([o for o, _ in halves])
    whole = lse.logsumexp(0)
    share = torch.where(lse.isneginf(), 0., (lse - whole.clamp(min=-1e38)).exp())
    return torch.einsum('h...q,h...qd->...qd', share, o), whole
def merge_halves(output_a, lse_a, output_b, lse_b):
    return merge((output_a, lse_a), (output_b, lse_b))
""",
    ),
    (
        "explicit scale",
        "repaired_attention",
        3,
        r"""
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.0, scale=1 / math.sqrt(query.size(-1)))
""",
    ),
    (
        "logical_not and expand",
        "repaired_attention",
        3,
        r"""
def repaired_attention(q, k, v, p):
    m = torch.logical_not(p)[:, None].expand(-1, q.size(1), -1)
    return F.scaled_dot_product_attention(q, k, v, m)
""",
    ),
    (
        "MultiheadAttention style by hand",
        "repaired_attention",
        3,
        r"""
def repaired_attention(query, key, value, is_padding):
    s = torch.baddbmm(torch.zeros(1), query, key.mT, beta=0, alpha=key.size(-1) ** -.5)
    p = is_padding[:, None]
    w = s.masked_fill(p, -1e30).softmax(-1).masked_fill(p, 0.)
    return w.bmm(value)
""",
    ),
    (
        "sentence by sentence",
        "repaired_attention",
        3,
        r"""
def repaired_attention(query, key, value, is_padding):
    rows = []
    for q, k, v, p in zip(query, key, value, is_padding):
        k, v = k[~p], v[~p]
        rows.append((q @ k.T / math.sqrt(q.size(1))).softmax(-1) @ v)
    return torch.stack(rows)
""",
    ),
    (
        "eq False",
        "repaired_attention",
        3,
        r"""
repaired_attention = lambda query, key, value, is_padding: F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.eq(False)[:, None])
""",
    ),
    (
        "generator seeded",
        "telling_input",
        3,
        r"""
def telling_input():
    g = torch.Generator().manual_seed(3)
    return torch.randn(3, 3, generator=g) * 2, torch.randn(4, 3, generator=g) * 2, torch.randn(4, 2, generator=g)
""",
    ),
    (
        "parameters",
        "telling_input",
        3,
        r"""
def telling_input():
    return tuple(torch.nn.Parameter(t) for t in (torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])))
""",
    ),
    (
        "requires_grad and expanded",
        "telling_input",
        3,
        r"""
def telling_input():
    q = torch.tensor([[1., 0.], [0., 2.]], requires_grad=True)
    return q, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([1., 0.]).unsqueeze(1)
""",
    ),
    (
        "half precision",
        "telling_input",
        3,
        r"""
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).half(), torch.tensor([[2., 1.], [0., 3.]]).half(), torch.tensor([[1.], [0.]]).half()
""",
    ),
    (
        "bfloat16 and float64 mixed",
        "telling_input",
        3,
        r"""
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).bfloat16(), torch.tensor([[2., 1.], [0., 3.]]).double(), torch.tensor([[1.], [0.]])
""",
    ),
    (
        "transposed views",
        "telling_input",
        3,
        r"""
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).T, torch.tensor([[2., 0.], [1., 3.]]).T, torch.tensor([[1., 0.]]).T
""",
    ),
    (
        "random with the global generator",
        "telling_input",
        3,
        r"""
def telling_input():
    torch.manual_seed(12)
    return torch.randn(2, 3) * 3, torch.randn(4, 3) * 2, torch.randn(4, 2) * 2
""",
    ),
    (
        "two queries of d_k 3, named tuple",
        "telling_input",
        3,
        r"""
from typing import NamedTuple
class I(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor
def telling_input():
    return I(torch.tensor([[1., 2., 0.], [0., 1., -1.]]), torch.tensor([[2., 0., 0.], [0., 1., 3.]]), torch.tensor([[3.], [0.]]))
""",
    ),
    (
        "library-attention-over-an-identity-as-values",
        "weights_time_first",
        3.0,
        r"""
def weights_time_first(query, key):
    eye = torch.eye(key.size(0), dtype=key.dtype).expand(key.size(1), -1, -1)
    return F.scaled_dot_product_attention(query.movedim(1, 0), key.movedim(1, 0), eye)
""",
    ),
    (
        "loop-over-sentences-in-float64",
        "weights_time_first",
        3.0,
        r"""
def weights_time_first(query, key):
    rows = []
    for b in range(query.shape[1]):
        s = (query[:, b].double() @ key[:, b].double().t()) * query.shape[2] ** -0.5
        rows.append((s - torch.logsumexp(s, 1, keepdim=True)).exp())
    return torch.stack(rows).to(query.dtype)
""",
    ),
    (
        "loop-that-drops-the-padding-keys",
        "padded_heads",
        5.0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    outs = []
    for b in range(query.size(0)):
        k, v = key[b], value[b]
        if attention_mask is not None:
            keep = attention_mask[b] != 0
            k, v = k[:, keep], v[:, keep]
        if k.size(1) == 0:
            outs.append((query[b].sum(-1, keepdim=True) * 0).expand(-1, -1, v.size(-1)))
            continue
        outs.append(torch.einsum("hqk,hkv->hqv", torch.einsum("hqd,hkd->hqk", query[b], k).div(query.size(-1) ** 0.5).softmax(-1), v))
    return torch.stack(outs)
""",
    ),
    (
        "exp-with-masked-maximum-clamp-denominators",
        "padded_heads",
        5.0,
        r"""
def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2), dtype=torch.long)
    keep = (attention_mask > 0).view(key.size(0), 1, 1, -1)
    s = torch.einsum("bhqd,bhkd->bhqk", query * query.size(-1) ** -0.5, key)
    top = s.masked_fill(~keep, torch.finfo(s.dtype).min).amax(-1, keepdim=True).detach()
    e = torch.exp(torch.where(keep, s - top, torch.zeros(()).to(s))) * keep
    return e @ value / e.sum(-1, keepdim=True).clamp_min(torch.finfo(s.dtype).tiny)
""",
    ),
    (
        "sigmoid-of-the-difference",
        "merge_halves",
        4.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    d = lse_a - lse_b
    both = torch.isneginf(lse_a) & torch.isneginf(lse_b)
    d = torch.where(both, torch.zeros_like(d), d)
    wa = torch.sigmoid(d).unsqueeze(-1)
    wb = torch.sigmoid(-d).unsqueeze(-1)
    return output_a * wa + output_b * wb, torch.logaddexp(lse_a, lse_b)
""",
    ),
    (
        "softmax-of-a-stack-with-empties-replaced",
        "merge_halves",
        4.0,
        r"""
def merge_halves(output_a, lse_a, output_b, lse_b):
    lses = torch.stack((lse_a, lse_b), dim=-1)
    empty = (lses == -math.inf).all(-1, keepdim=True)
    share = lses.masked_fill(empty, 0.0).softmax(-1)
    out = torch.einsum("...qh,...qvh->...qv", share, torch.stack((output_a, output_b), -1))
    return [out, torch.logsumexp(lses, -1)]
""",
    ),
    (
        "loops-over-sentences-and-tokens",
        "repaired_attention",
        3.0,
        r"""
def repaired_attention(query, key, value, is_padding):
    out = torch.zeros(query.size(0), query.size(1), value.size(-1), dtype=query.dtype)
    for b in range(query.size(0)):
        real = [j for j in range(key.size(1)) if not bool(is_padding[b, j])]
        if real:
            w = (query[b] @ key[b, real].T / query.size(-1) ** 0.5).softmax(1)
            out[b] = w @ value[b, real]
    return out
""",
    ),
    (
        "float-mask-of-minus-infinity-and-where",
        "repaired_attention",
        3.0,
        r"""
def repaired_attention(query, key, value, is_padding):
    bias = torch.where(is_padding, -1e30, 0.0)[:, None].to(query)
    out = F.scaled_dot_product_attention(query, key, value, bias)
    return torch.where(is_padding.all(1)[:, None, None], torch.zeros_like(out), out)
""",
    ),
    (
        "one-query-only-float64",
        "telling_input",
        3.0,
        r"""
def telling_input():
    return (torch.tensor([[1., 2., -1.]]).double(), torch.tensor([[1., 0., 0.], [0., 1., 0.]]).double(), torch.tensor([[3.], [-2.]]).double())
""",
    ),
    (
        "random-numbers-with-a-seed",
        "telling_input",
        3.0,
        r"""
def telling_input():
    g = torch.Generator().manual_seed(4)
    return torch.randn(2, 4, generator=g), torch.randn(3, 4, generator=g), torch.randn(3, 2, generator=g) * 3
""",
    ),
]
