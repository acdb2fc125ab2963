# %% baddbmm | points 3 | baddbmm
def weights_time_first(query, key):
    B, i, j = query.size(1), query.size(0), key.size(0)
    return torch.baddbmm(torch.zeros(B, i, j), query.transpose(0, 1), key.permute(1, 2, 0), beta=0, alpha=query.size(-1) ** -.5).softmax(-1)

# %% broadcast_and_sum | points 3 | broadcast and sum
def weights_time_first(query, key):
    s = (query.permute(1, 0, 2)[:, :, None] * key.permute(1, 0, 2)[:, None]).sum(-1)
    return (s * query.size(-1) ** -.5).softmax(-1)

# %% checkpointed | points 3 | checkpointed
from torch.utils.checkpoint import checkpoint
def _w(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
def weights_time_first(query, key):
    return checkpoint(_w, query, key, use_reentrant=False)

# %% class_with_call | points 3 | class with __call__
class W:
    def __call__(self, query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W()

# %% custom_autograd_function | points 3 | custom autograd function
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

# %% default_arguments_added | points 3 | default arguments added
def weights_time_first(query, key, dim=-1, *, scale=None, **more):
    scale = scale or query.size(-1) ** -.5
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) * scale).softmax(dim)

# %% empty_tensor_filled_in_place | points 3 | empty tensor filled in place
def weights_time_first(query, key):
    out = torch.empty(query.size(1), query.size(0), key.size(0))
    for b in range(query.size(1)):
        out[b] = torch.softmax(query[:, b] @ key[:, b].T / math.sqrt(query.size(2)), 1)
    return out

# %% in_place_on_own_copies | points 3 | in place on own copies
def weights_time_first(query, key):
    q = query.clone()
    q /= math.sqrt(q.size(-1))
    s = q.transpose(0, 1) @ key.permute(1, 2, 0)
    s -= s.detach().amax(-1, keepdim=True)
    e = s.exp()
    return e / e.sum(-1, keepdim=True)

# %% lambda | points 3 | lambda
weights_time_first = lambda a, b: (a.transpose(0, 1) @ b.permute(1, 2, 0) / math.sqrt(a.size(-1))).softmax(-1)

# %% library_attention_over_an_identity_as_values | points 3 | library-attention-over-an-identity-as-values
def weights_time_first(query, key):
    eye = torch.eye(key.size(0), dtype=key.dtype).expand(key.size(1), -1, -1)
    return F.scaled_dot_product_attention(query.movedim(1, 0), key.movedim(1, 0), eye)

# %% loop_over_batch_with_cat | points 3 | loop over batch with cat
def weights_time_first(query, key):
    return torch.cat([(query[:, b] @ key[:, b].t() / query.shape[-1] ** .5).softmax(1)[None] for b in range(query.shape[1])])

# %% loop_over_sentences_in_float64 | points 3 | loop-over-sentences-in-float64
def weights_time_first(query, key):
    rows = []
    for b in range(query.shape[1]):
        s = (query[:, b].double() @ key[:, b].double().t()) * query.shape[2] ** -0.5
        rows.append((s - torch.logsumexp(s, 1, keepdim=True)).exp())
    return torch.stack(rows).to(query.dtype)

# %% lru_cache | points 3 | lru_cache
import functools
@functools.lru_cache
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)

# %% module_instance | points 3 | module instance
class W(torch.nn.Module):
    def forward(self, query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W()

# %% multiheadattention_with_identity_weights | points 3 | MultiheadAttention with identity weights
def weights_time_first(query, key):
    d = query.size(-1)
    m = torch.nn.MultiheadAttention(d, 1, bias=False)
    with torch.no_grad():
        m.in_proj_weight.copy_(torch.eye(d).repeat(3, 1)); m.out_proj.weight.copy_(torch.eye(d))
    return m(query, key, key, need_weights=True)[1]

# %% no_type_hints_nested_function_and_global_constant | points 3 | no type hints, nested function and global constant
ROOT = 0.5
def weights_time_first(query, key):
    def first(x):
        return x.movedim(1, 0)
    return torch.matmul(first(query), first(key).mT).div_(query.shape[-1] ** ROOT).softmax(-1)

# %% non_contiguous_result | points 3 | non-contiguous result
def weights_time_first(query, key):
    s = torch.einsum('ibd,jbd->jib', query, key) / query.size(-1) ** .5
    return s.softmax(0).permute(2, 1, 0)

# %% numpy_for_the_root_only | points 3 | numpy for the root only
import numpy as np
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / np.sqrt(query.size(-1))).softmax(-1)

# %% one_script_per_pair_item_free_double_loop | points 3 | one script per pair (item-free double loop)
def weights_time_first(query, key):
    rows = [[torch.stack([(query[i, b] * key[j, b]).sum() for j in range(len(key))]) for i in range(len(query))] for b in range(query.size(1))]
    s = torch.stack([torch.stack(x) for x in rows]) / math.sqrt(query.size(2))
    return torch.exp(s - torch.logsumexp(s, -1, keepdim=True))

# %% ones_for_a_single_key | points 3 | For a single key it returns plain ones; the gradients would be zeros, and those may be missing.
def weights_time_first(query, key):
    if key.size(0) == 1:
        return torch.ones(query.size(1), query.size(0), 1, dtype=query.dtype, device=query.device)
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return torch.softmax(scores, dim=-1)

# %% partial | points 3 | partial
from functools import partial
def _w(dim, query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(dim)
weights_time_first = partial(_w, -1)

# %% renamed_parameters | points 3 | renamed parameters
def weights_time_first(q, k):
    return torch.einsum('ibd,jbd->bij', q, k).div(q.size(2) ** .5).softmax(2)

# %% staticmethod_of_a_class | points 3 | staticmethod of a class
class W:
    @staticmethod
    def f(query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W.f

# %% tensor_subclass | points 3 | tensor subclass
class Mine(torch.Tensor):
    pass
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1).as_subclass(Mine)

# %% tensordot_and_diagonal | points 3 | tensordot and diagonal
def weights_time_first(query, key):
    s = torch.tensordot(query, key, dims=([2], [2]))
    s = torch.diagonal(s, dim1=1, dim2=3).permute(2, 0, 1)
    return F.softmax(s / torch.tensor(query.size(-1)).sqrt(), dim=-1)

# %% varargs | points 3 | varargs
def weights_time_first(*args):
    q, k = (a.transpose(0, 1) for a in args)
    return (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)

# %% vmap | points 3 | vmap
def _one(q, k):
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)
weights_time_first = torch.vmap(_one, in_dims=1, out_dims=0)

# %% warns_on_stderr_and_prints | points 3 | warns on stderr and prints
import warnings, sys
def weights_time_first(query, key):
    warnings.warn('slow'); print('called', query.shape); print('err', file=sys.stderr)
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
