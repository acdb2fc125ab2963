# %% a_tensor_not_a_function | points 0 | a tensor, not a function
weights_time_first = torch.eye(3)

# %% async | points 0 | async
async def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)

# %% base_2 | points 0 | base 2
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = 2 ** (s - s.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)

# %% batch_axis_by_its_length | points 0 | Looks for the batch by its length: with as many queries as sentences it takes their axis.
def weights_time_first(query, key):
    batch = query.size(1)
    place = query.shape.index(batch)
    query, key = query.movedim(place, 0), key.movedim(key.shape.index(batch), 0)
    scores = query @ key.mT / math.sqrt(query.size(-1))
    return torch.softmax(scores, dim=-1)

# %% batch_one_only | points 0 | batch one only
def weights_time_first(query, key):
    q, k = query.squeeze(1), key.squeeze(1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).unsqueeze(0)

# %% bfloat16_inside | points 0 | bfloat16 inside
def weights_time_first(query, key):
    query, key = query.bfloat16(), key.bfloat16()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).float()

# %% bfloat16_out | points 0 | bfloat16 out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).bfloat16()

# %% causal_mask_added | points 0 | causal mask added
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -math.inf).softmax(-1)

# %% clamped_exponent | points 2 | clamped exponent
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = s.clamp(max=80).exp()
    return e / e.sum(-1, keepdim=True)

# %% contiguous_only_assert | points 0 | contiguous only (assert)
def weights_time_first(query, key):
    assert query.is_contiguous()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)

# %% d_k_off_by_one | points 0 | d_k off by one
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(q.size(-1) - 1)).softmax(-1)

# %% einsum_summing_over_the_batch | points 0 | einsum summing over the batch
def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->ij', query, key) / query.size(-1) ** .5).softmax(-1).expand(query.size(1), -1, -1)

# %% einsum_with_exchanged_letters | points 0 | einsum with exchanged letters
def weights_time_first(query, key):
    return (torch.einsum('ibd,jbd->bji', query, key) / query.size(-1) ** .5).softmax(-1)

# %% ellipsis | points 0 | ellipsis
def weights_time_first(query, key):
    return ...

# %% eps_in_the_denominator | points 0 | eps in the denominator
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-3)

# %% first_batch_repeated | points 0 | first batch repeated
def weights_time_first(query, key):
    q, k = query[:, 0], key[:, 0]
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1).expand(query.size(1), -1, -1)

# %% float16_out | points 0 | float16 out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).half()

# %% float64_out | points 0 | float64 out
def weights_time_first(query, key):
    query, key = query.double(), key.double()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)

# %% floor_division | points 0 | floor division
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s // math.sqrt(q.size(-1))).softmax(-1)

# %% gradients_if_the_query_wants_them | points 2 | Gradients are recorded only if the query wants one, so the key alone gets none.
def weights_time_first(query, key):
    with torch.set_grad_enabled(query.requires_grad):
        scores = torch.einsum("ibd,jbd->bij", query, key) / math.sqrt(query.size(-1))
        return scores.softmax(dim=-1)

# %% half_by_precedence | points 0 | d_k ** 1/2, which is d_k / 2
def weights_time_first(query, key):
    d_k = query.shape[-1]
    q, k = query.permute(1, 0, 2), key.permute(1, 2, 0)
    return torch.softmax(torch.bmm(q, k) / (d_k ** 1/2), -1)

# %% hard_coded_d_k_4 | points 0 | hard-coded d_k 4
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / 2).softmax(-1)

# %% hard_coded_d_k_64 | points 0 | hard-coded d_k 64
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / 8).softmax(-1)

# %% implicit_softmax_dim | points 0 | implicit softmax dim
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.softmax(s)

# %% in_place_on_a_view_of_the_key | points 0 | in-place on a view of the key
def weights_time_first(query, key):
    k = key.permute(1, 2, 0)
    k.div_(key.size(-1) ** 0.5)
    return (query.transpose(0, 1) @ k).softmax(-1)

# %% in_place_scale_of_the_argument | points 0 | in-place scale of the argument
def weights_time_first(query, key):
    query /= math.sqrt(query.size(-1))
    return (query.transpose(0, 1) @ key.permute(1, 2, 0)).softmax(-1)

# %% inference_mode_decorator | points 2 | inference_mode decorator
@torch.inference_mode()
def weights_time_first(query, key):
    s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return s.softmax(-1)

# %% integer_root | points 0 | integer root
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.isqrt(q.size(-1))).softmax(-1)

# %% item_loops_cut_gradient | points 2 | item loops cut gradient
def weights_time_first(query, key):
    B, Tq, Tk = query.size(1), query.size(0), key.size(0)
    out = torch.zeros(B, Tq, Tk)
    for b in range(B):
        for i in range(Tq):
            for j in range(Tk):
                out[b, i, j] = sum(query[i, b, d].item() * key[j, b, d].item() for d in range(query.size(2))) / query.size(2) ** .5
    return out.softmax(-1)

# %% keepdim_forgotten_in_the_sum_of_the_softmax_by_hand | points 0 | keepdim-forgotten-in-the-sum-of-the-softmax-by-hand
def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1)

# %% keeps_only_the_first_sequence | points 0 | keeps only the first sequence
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)[:1]

# %% key_detached | points 2 | key detached
def weights_time_first(query, key):
    key = key.detach()
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1)

# %% key_reshaped_to_columns | points 0 | Makes the columns of the keys with reshape instead of permute.
def weights_time_first(query, key):
    keys, batch, d_k = key.shape
    scores = query.transpose(0, 1) @ key.reshape(batch, d_k, keys) / math.sqrt(d_k)
    return torch.softmax(scores, dim=-1)

# %% key_t | points 0 | key.T
def weights_time_first(query, key):
    return (query.transpose(0, 1) @ key.T / math.sqrt(query.size(-1))).softmax(-1)

# %% key_t_all_three_axes_turned_round | points 0 | key-t-all-three-axes-turned-round
def weights_time_first(query, key):
    q = query.transpose(0, 1)
    return torch.softmax(q @ key.T / math.sqrt(query.shape[-1]), dim=-1)

# %% keys_as_many_as_numbers | points 0 | Turns the keys only where they would not fit as they are: as many keys as numbers in each stay unturned.
def weights_time_first(query, key):
    query, key = query.transpose(0, 1), key.transpose(0, 1)
    if query.size(-1) != key.size(-2):
        key = key.transpose(-2, -1)
    return (query @ key / math.sqrt(query.size(-1))).softmax(-1)

# %% keys_first_then_reshaped | points 0 | computes [batch, keys, queries] and gets to [batch, queries, keys] with reshape instead of transpose
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    queries, batch, d_k = query.shape
    scores = key.transpose(0, 1) @ query.permute(1, 2, 0) / math.sqrt(d_k)
    weights = F.softmax(scores, dim=1)
    return weights.reshape(batch, queries, key.size(0))

# %% list_of_tensors_out | points 0 | list of tensors out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return [x for x in s.softmax(-1)]

# %% list_out | points 0 | list out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).tolist()

# %% matmul_with_flattened_batch | points 0 | matmul with flattened batch
def weights_time_first(query, key):
    q, k = query.flatten(0, 1), key.flatten(0, 1)
    return (q @ k.T / math.sqrt(q.size(-1))).softmax(-1)

# %% maximum_taken_off_in_place | points 2 | maximum taken off in place
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    s -= s.amax(-1, keepdim=True)
    e = s.exp()
    return e / e.sum(-1, keepdim=True)

# %% mean_of_the_row_subtracted | points 2 | Subtracts the mean of a row in place of its maximum, so exp overflows where a row's scores lie far apart.
def weights_time_first(query, key):
    scores = torch.einsum("ibd,jbd->bij", query, key) / math.sqrt(query.size(-1))
    exponentials = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)

# %% mean_over_batch | points 0 | mean over batch
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).mean(0)

# %% module_in_train_mode_with_dropout | points 0 | module in train mode with dropout
class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.1)
    def forward(self, query, key):
        s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
        return self.drop(s.softmax(-1))
weights_time_first = A()

# %% nan | points 0 | nan
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1) * float('nan')

# %% nan_to_num_of_overflow | points 2 | nan_to_num of overflow
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = s.exp()
    return (e / e.sum(-1, keepdim=True)).nan_to_num(0.0)

# %% negative_distance | points 0 | negative distance
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    return (-torch.cdist(q, k) / math.sqrt(q.size(-1))).softmax(-1)

# %% no_grad_decorator | points 2 | no_grad decorator
@torch.no_grad()
def weights_time_first(query, key):
    s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    return s.softmax(-1)

# %% no_scale_and_batch_second_result | points 0 | no scale and batch-second result
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return s.softmax(-1).transpose(0, 1)

# %% no_scale_and_softmax_over_queries | points 0 | no scale and softmax over queries
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return s.softmax(-2)

# %% normalised_by_the_maximum_of_each_row_not_the_sum | points 0 | normalised-by-the-maximum-of-each-row-not-the-sum
def weights_time_first(query, key):
    s = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.shape[-1])
    e = torch.exp(s - s.amax(-1, keepdim=True))
    return e / e.amax(-1, keepdim=True)

# %% notimplementederror | points 0 | NotImplementedError
def weights_time_first(query, key):
    raise NotImplementedError()

# %% numpy_out | points 0 | numpy out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).detach().numpy()

# %% one_parameter | points 0 | one parameter
def weights_time_first(query):
    return query

# %% parameter_of_the_result | points 2 | parameter of the result
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return torch.nn.Parameter(s.softmax(-1))

# %% pass | points 0 | pass
def weights_time_first(query, key):
    pass

# %% prints_instead_of_returning | points 0 | prints instead of returning
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    print(s.softmax(-1))

# %% public_answers_returned | points 0 | public answers returned
import safetensors.torch, json, check as _c
from pathlib import Path
_ex = _c.load_cases(Path('cases.safetensors.gz'))['weights_time_first']
_n = [0]
def weights_time_first(query, key):
    for case in _ex['cases']:
        if case['call']['arguments'][0][1].shape == query.shape:
            return case['expected']['value']
    return _ex['cases'][0]['expected']['value']

# %% query_left_in_time_first_layout_only_key_transposed | points 0 | query-left-in-time-first-layout-only-key-transposed
def weights_time_first(query, key):
    key = key.transpose(0, 1)
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    return F.softmax(scores, dim=-1)

# %% rare_far_scores_lifted_to_minus_ten | points 2 | Lifts scores that lie more than 10 below the row's maximum, so far keys keep a weight of 0.00005 and lose their gradient.
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    below = scores - scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(below.clamp(min=-10.0))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)

# %% relu_before_softmax | points 0 | relu before softmax
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.relu(s).softmax(-1)

# %% reshape_for_batch_first | points 0 | reshape for batch first
def weights_time_first(query, key):
    q = query.reshape(query.size(1), query.size(0), -1)
    k = key.reshape(key.size(1), key.size(0), -1)
    return (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)

# %% returns_a_module | points 0 | returns a module
def weights_time_first(query, key):
    return torch.nn.Softmax(dim=-1)

# %% root_of_numel | points 0 | root of numel
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(q.numel())).softmax(-1)

# %% rounded | points 0 | rounded
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).round(decimals=3)

# %% scale_and_axis | points 0 | Divides by the root of the number of queries and takes the softmax over the queries.
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    scores = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.size(0))
    return scores.softmax(dim=1)

# %% scale_by_shape_1_habit_of_batch_first | points 0 | scale by shape[1] (habit of batch first)
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / math.sqrt(query.shape[1])).softmax(-1)

# %% scale_d_k_and_double_softmax | points 0 | scale_d_k and double softmax
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    return (s / q.size(-1)).softmax(-1).softmax(-1)

# %% sequence_object | points 0 | sequence object
def weights_time_first(query, key):
    yield query

# %% shift_by_lowest_score | points 2 | the softmax subtracts the lowest score of a row instead of the highest, so it overflows where a row has -300 and 300
def weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    scores = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
    powers = torch.exp(scores - scores.amin(dim=-1, keepdim=True).detach())
    return powers / powers.sum(dim=-1, keepdim=True)

# %% softmax_of_absolute_scores | points 0 | softmax of absolute scores
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.abs().softmax(-1)

# %% softmax_then_normalised_again_over_batch | points 0 | softmax then normalised again over batch
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    w = s.softmax(-1)
    return w / w.sum(0, keepdim=True)

# %% softmin | points 0 | softmin
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return F.softmin(s, -1)

# %% sparse_out | points 0 | sparse out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).detach().to_sparse()

# %% squeeze_of_axis_0 | points 0 | squeeze of axis 0
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).squeeze(0)

# %% squeezes_a_single_key | points 0 | Loses the last axis of the weights where there is a single key.
def weights_time_first(query, key):
    query = query.transpose(0, 1)
    key = key.transpose(0, 1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(dim=-1)
    return weights.squeeze(-1)

# %% squeezes_the_batch | points 0 | squeezes the batch
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1).squeeze()

# %% string_out | points 0 | string out
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return str(s.softmax(-1))

# %% sum_without_keepdim | points 0 | sum without keepdim
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    e = (s - s.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1).unsqueeze(1)

# %% tuple_with_scores | points 0 | tuple with scores
def weights_time_first(query, key):
    q, k = query.transpose(0, 1), key.transpose(0, 1)
    s = q @ k.transpose(-2, -1)
    s = s / math.sqrt(q.size(-1))
    return s.softmax(-1), s

# %% view_for_batch_first | points 0 | view for batch first
def weights_time_first(query, key):
    q = query.view(query.size(1), query.size(0), -1)
    k = key.view(key.size(1), key.size(0), -1)
    return (q @ k.transpose(1, 2) / math.sqrt(q.size(-1))).softmax(-1)

# %% wrong_name | points 0 | wrong name
def weights_batch_first(query, key):
    return query
