# %% any_empty_shortcut | points 3 | Decides for the whole tensor: if any query saw no key in a half, the other half is returned for all queries.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    if (lse_a == -math.inf).any():
        return output_b, lse_b
    if (lse_b == -math.inf).any():
        return output_a, lse_a
    lse = torch.logaddexp(lse_a, lse_b)
    a = torch.exp(lse_a - lse)[..., None]
    b = torch.exp(lse_b - lse)[..., None]
    return a * output_a + b * output_b, lse

# %% average_and_correct_lse_by_log1p | points 0 | average and correct lse by log1p
def merge_halves(output_a, lse_a, output_b, lse_b):
    m, n = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    return (output_a + output_b) / 2, m + torch.log1p((n - m).exp())

# %% average_and_sum_of_lse | points 0 | average and sum of lse
def merge_halves(output_a, lse_a, output_b, lse_b):
    return (output_a + output_b) / 2, lse_a + lse_b

# %% clamp_at_1e4 | points 3 | clamp at -1e4
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a, lse_b = lse_a.clamp(min=-1e4), lse_b.clamp(min=-1e4)
    lse = torch.logaddexp(lse_a, lse_b)
    return (lse_a - lse).exp()[..., None] * output_a + (lse_b - lse).exp()[..., None] * output_b, lse

# %% clamp_at_80 | points 2 | clamp at 80
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.clamp(-80, 80).exp(), lse_b.clamp(-80, 80).exp()
    t = a + b
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()

# %% concatenated_outputs | points 0 | concatenated outputs
def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.cat([output_a, output_b], -2), torch.logaddexp(lse_a, lse_b)

# %% dictionary | points 0 | dictionary
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return {'output': a * output_a + b * output_b, 'lse': lse}

# %% empty_counts_as_zero | points 3 | Replaces the -inf of an empty half by 0, which gives the empty half the weight 1.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    lse_a = torch.nan_to_num(lse_a, neginf=0.0)
    lse_b = torch.nan_to_num(lse_b, neginf=0.0)
    lse = torch.logaddexp(lse_a, lse_b)
    share = torch.sigmoid(lse_a - lse_b).unsqueeze(-1)
    return share * output_a + (1 - share) * output_b, lse

# %% empty_half_fills_1 | points 3 | empty half fills 1
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    o = a * output_a + b * output_b
    o[lse == -math.inf] = 1.
    return o, lse

# %% eps_in_log_and_division | points 0 | eps in log and division
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    t = a + b + 1e-2
    return (a[..., None] * output_a + b[..., None] * output_b) / t[..., None], t.log()

# %% equal_log_sum_exps_forgotten | points 0 | Treats the halves by which has more and has no branch for queries whose two log-sum-exps are equal: their output is zeros.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(lse_a, lse_b)
    safe = lse.masked_fill(lse == -math.inf, 0.0)
    share_a = torch.exp(lse_a - safe).unsqueeze(-1)
    share_b = torch.exp(lse_b - safe).unsqueeze(-1)
    merged = share_a * output_a + share_b * output_b
    more_in_a = (lse_a > lse_b).unsqueeze(-1)
    more_in_b = (lse_b > lse_a).unsqueeze(-1)
    output = torch.zeros_like(merged)
    output = torch.where(more_in_a, merged, output)
    output = torch.where(more_in_b, merged, output)
    return output, lse

# %% exchanged_shares_and_maximum | points 0 | exchanged shares and maximum
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return b * output_a + a * output_b, torch.maximum(lse_a, lse_b)

# %% float64_out_of_merge | points 0 | float64 out of merge
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a.double(), lse_b.double())
    f = lse.masked_fill(lse == -math.inf, 0.)
    return (lse_a - f).exp()[..., None] * output_a + (lse_b - f).exp()[..., None] * output_b, lse

# %% global_maximum_nan_to_num | points 3 | global maximum, nan_to_num
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.stack([lse_a, lse_b]).max()
    m = 0 if m == -math.inf else m
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    o = ((a[..., None] * output_a + b[..., None] * output_b) / (a + b)[..., None]).nan_to_num(0.)
    return o, m + (a + b).log()

# %% global_maximum_over_all_rows | points 3 | global maximum over all rows
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.maximum(lse_a.max(), lse_b.max()).clamp(min=-1e30)
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    t = a + b
    o = (a[..., None] * output_a + b[..., None] * output_b) / t.clamp(min=1e-30)[..., None]
    return o, m + t.log()

# %% hard_coded_four_dimensions | points 0 | hard-coded four dimensions
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[:, :, :, None], (lse_b - f).exp()[:, :, :, None]
    return a * output_a + b * output_b, lse

# %% in_place_on_lse | points 2 | in place on lse
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a[lse_a == -math.inf] = -1e30
    lse_b[lse_b == -math.inf] = -1e30
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse.masked_fill(lse < -1e29, -math.inf)

# %% inference_mode | points 3 | inference mode
@torch.inference_mode()
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b]).softmax(0).nan_to_num(0.)[..., None]
    return w[0] * output_a + w[1] * output_b, torch.logaddexp(lse_a, lse_b)

# %% log_exp_exp_overflows | points 3 | log-exp-exp-overflows
def merge_halves(output_a, lse_a, output_b, lse_b):
    ea, eb = lse_a.exp(), lse_b.exp()
    total = ea + eb
    safe = torch.where(total == 0, torch.ones_like(total), total)
    output = (ea / safe)[..., None] * output_a + (eb / safe)[..., None] * output_b
    return output, total.log()

# %% log_of_the_mean | points 0 | The log-sum-exp is that of the average of the two halves, too small by log 2
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    top = torch.maximum(lse_a, lse_b).detach()
    top = top.masked_fill(torch.isneginf(top), 0.0)
    powers = torch.stack([lse_a - top, lse_b - top]).exp()
    total = powers.sum(dim=0)
    shares = (powers / total.masked_fill(total == 0, 1.0)).unsqueeze(-1)
    return shares[0] * output_a + shares[1] * output_b, top + torch.log(powers.mean(dim=0))

# %% log_of_the_sum_of_lse | points 0 | log of the sum of lse
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, (lse_a + lse_b).log()

# %% logaddexp2 | points 0 | logaddexp2
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp2(lse_a, lse_b)
    return (lse_a - lse).exp2()[..., None] * output_a + (lse_b - lse).exp2()[..., None] * output_b, lse

# %% logaddexp_of_the_outputs | points 0 | logaddexp of the outputs
def merge_halves(output_a, lse_a, output_b, lse_b):
    return torch.logaddexp(output_a, output_b), torch.logaddexp(lse_a, lse_b)

# %% loop_over_queries | points 3 | loop over queries
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

# %% lse_added | points 0 | The log-sum-exps are added and used as weights themselves, as if they were sums and not logarithms of sums.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp of attention over all keys, from those of two halves."""
    lse = lse_a + lse_b
    share_a = (lse_a / lse).unsqueeze(-1)
    share_b = (lse_b / lse).unsqueeze(-1)
    output = share_a * output_a + share_b * output_b
    return output, lse

# %% lse_nan_to_numd | points 3 | lse nan_to_num'd
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, lse.nan_to_num(neginf=0.)

# %% lse_returned_with_an_axis_of_one | points 0 | lse-returned-with-an-axis-of-one
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-1)
    b = torch.exp(lse_b - safe).unsqueeze(-1)
    output = a * output_a + b * output_b
    return output, lse.unsqueeze(-1)

# %% lse_with_an_extra_axis | points 0 | lse with an extra axis
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return a * output_a + b * output_b, lse[..., None]

# %% maximum_not_added | points 0 | The log-sum-exp comes back without the maximum that was subtracted.
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.maximum(lse_a, lse_b)
    m = torch.where(m == -math.inf, torch.zeros_like(m), m)
    a = torch.exp(lse_a - m)
    b = torch.exp(lse_b - m)
    lse = torch.log(a + b)
    norm = (a + b).clamp(min=1e-30)
    output = (a / norm).unsqueeze(-1) * output_a + (b / norm).unsqueeze(-1) * output_b
    return output, lse

# %% maximum_of_lse_a_for_both | points 3 | maximum of lse_a for both
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = lse_a.masked_fill(lse_a == -math.inf, 0.)
    a, b = (lse_a - m).exp(), (lse_b - m).exp()
    t = a + b
    o = ((a[..., None] * output_a + b[..., None] * output_b) / t[..., None]).nan_to_num(0.)
    return o, m + t.log()

# %% nan_to_num_on_the_log_sum_exp_inf_becomes_a_huge_number | points 3 | nan-to-num-on-the-log-sum-exp-inf-becomes-a-huge-number
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-1)
    b = torch.exp(lse_b - safe).unsqueeze(-1)
    output = a * output_a + b * output_b
    return output, torch.nan_to_num(lse)

# %% no_new_axis_for_the_shares | points 0 | no-new-axis-for-the-shares
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe)
    b = torch.exp(lse_b - safe)
    output = a * output_a + b * output_b
    return output, lse

# %% numpy_pair | points 0 | numpy pair
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return (a * output_a + b * output_b).numpy(), lse.numpy()

# %% one_maximum_of_all_queries_subtracted | points 3 | one-maximum-of-all-queries-subtracted
def merge_halves(output_a, lse_a, output_b, lse_b):
    m = torch.max(lse_a.max(), lse_b.max())
    ea = torch.exp(lse_a - m)
    eb = torch.exp(lse_b - m)
    total = ea + eb
    output = (ea[..., None] * output_a + eb[..., None] * output_b) / total[..., None].clamp_min(1e-30)
    return output, m + torch.log(total)

# %% output_in_place | points 0 | output in place
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    output_a *= a
    output_a += b * output_b
    return output_a, lse

# %% plain_exp_and_epsilon | points 2 | Plain exp overflows around 128, and an epsilon against division by zero gives log(1e-12) where -inf is right.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    e_a, e_b = lse_a.exp(), lse_b.exp()
    total = e_a + e_b + 1e-12
    output = (e_a / total).unsqueeze(-1) * output_a + (e_b / total).unsqueeze(-1) * output_b
    return output, torch.log(total)

# %% python_if_on_first_query | points 3 | python if on first query
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    if lse.min() == -math.inf:
        return torch.zeros_like(output_a), lse
    a, b = (lse_a - lse).exp()[..., None], (lse_b - lse).exp()[..., None]
    return a * output_a + b * output_b, lse

# %% queries_by_view | points 0 | Puts all queries on one axis with view, which a transposed view of memory refuses.
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.view(-1), lse_b.view(-1)
    lse = torch.logaddexp(a, b)
    base = lse.masked_fill(lse == -math.inf, 0.0)
    share_a, share_b = (a - base).exp()[:, None], (b - base).exp()[:, None]
    d = output_a.size(-1)
    output = share_a * output_a.view(-1, d) + share_b * output_b.view(-1, d)
    return output.view(output_a.shape), lse.view(lse_a.shape)

# %% rare_log_sum_exp_of_zero_taken_for_empty | points 3 | Takes a log-sum-exp of exactly 0 for an empty half, though a single key with a score of 0 reports just that.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    both = torch.stack([lse_a, lse_b])
    both = both.masked_fill(both == 0, -math.inf)
    nothing = torch.isneginf(both).all(dim=0)
    shares = torch.softmax(torch.where(nothing, torch.zeros_like(both), both), dim=0)
    shares = torch.where(nothing, torch.zeros_like(shares), shares)
    output = shares[0][..., None] * output_a + shares[1][..., None] * output_b
    return output, torch.logsumexp(both, dim=0)

# %% second_subtracted | points 3 | Subtracts the second half's log-sum-exp, which need not be the larger one.
def merge_halves(output_a, lse_a, output_b, lse_b):
    base = lse_b.masked_fill(lse_b == -math.inf, 0.0)
    e_a, e_b = (lse_a - base).exp(), (lse_b - base).exp()
    total = e_a + e_b
    lse = base + total.log()
    safe = total.masked_fill(total == 0, 1.0)
    return (e_a / safe)[..., None] * output_a + (e_b / safe)[..., None] * output_b, lse

# %% share_and_its_complement_exchanged | points 0 | share and its complement, exchanged
def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.sigmoid(lse_b - lse_a).nan_to_num(0.)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)

# %% share_without_an_axis | points 0 | share without an axis
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    a, b = (lse_a - lse).exp(), (lse_b - lse).exp()
    return a * output_a + b * output_b, lse

# %% shares_from_number_of_rows | points 0 | shares from number of rows
def merge_halves(output_a, lse_a, output_b, lse_b):
    n = output_a.size(-2) + output_b.size(-2)
    return (output_a * output_a.size(-2) + output_b * output_b.size(-2)) / n, torch.logaddexp(lse_a, lse_b)

# %% shares_get_their_axis_in_front_of_the_queries | points 0 | shares-get-their-axis-in-front-of-the-queries
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(lse == -math.inf, torch.zeros_like(lse), lse)
    a = torch.exp(lse_a - safe).unsqueeze(-2)
    b = torch.exp(lse_b - safe).unsqueeze(-2)
    output = a * output_a + b * output_b
    return output, lse

# %% shares_under_no_grad | points 3 | The shares are computed under no_grad "for stability", so the log-sum-exps get no gradient from the output.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    lse = torch.logaddexp(lse_a, lse_b)
    with torch.no_grad():
        reference = torch.where(torch.isinf(lse), torch.zeros_like(lse), lse)
        share_a = (lse_a - reference).exp()[..., None]
        share_b = (lse_b - reference).exp()[..., None]
    return share_a * output_a + share_b * output_b, lse

# %% softmax_over_queries | points 0 | softmax over queries
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.softmax(-1)[..., None], lse_b.softmax(-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)

# %% softmax_over_the_queries_not_over_the_halves | points 0 | softmax-over-the-queries-not-over-the-halves
def merge_halves(output_a, lse_a, output_b, lse_b):
    a = torch.softmax(lse_a, dim=-1)[..., None]
    b = torch.softmax(lse_b, dim=-1)[..., None]
    return a * output_a + b * output_b, torch.logaddexp(lse_a, lse_b)

# %% stacked_result | points 0 | stacked result
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return torch.cat([a * output_a + b * output_b, lse[..., None]], -1)

# %% tanh_instead_of_sigmoid | points 0 | tanh instead of sigmoid
def merge_halves(output_a, lse_a, output_b, lse_b):
    s = torch.tanh(lse_a - lse_b)[..., None]
    return s * output_a + (1 - s) * output_b, torch.logaddexp(lse_a, lse_b)

# %% three_axes_in_front_at_most | points 0 | Has a formula for up to three axes in front of the queries and none for four.
FORMULAS = {
    1: "q,qd->qd",
    2: "aq,aqd->aqd",
    3: "abq,abqd->abqd",
    4: "abcq,abcqd->abcqd",
}


def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    formula = FORMULAS[lse_a.dim()]
    lse = torch.logaddexp(lse_a, lse_b)
    empty = torch.isneginf(lse)
    a, b = lse_a.masked_fill(empty, 0.0), lse_b.masked_fill(empty, 0.0)
    share_a, share_b = torch.sigmoid(a - b), torch.sigmoid(b - a)
    output = torch.einsum(formula, share_a, output_a) + torch.einsum(formula, share_b, output_b)
    return output, lse

# %% two_axes_only | points 0 | Writes the new axis as third one, which is right for [batch, queries] only, not with heads or without a batch.
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    safe = torch.where(torch.isinf(lse), 0.0, lse)
    share_a = (lse_a - safe).exp()[:, :, None]
    share_b = (lse_b - safe).exp()[:, :, None]
    return share_a * output_a + share_b * output_b, lse

# %% where_with_overflow_in_the_other_branch | points 3 | Both branches of where are computed; the one not taken overflows and makes the gradient NaN where the halves lie far apart.
def merge_halves(output_a, lse_a, output_b, lse_b):
    gap = lse_a - lse_b
    lse = torch.where(gap > 0, lse_a + torch.log1p(torch.exp(-gap)), lse_b + torch.log1p(torch.exp(gap)))
    lse = torch.where(lse_a == -math.inf, lse_b, torch.where(lse_b == -math.inf, lse_a, lse))
    share = torch.sigmoid(gap)
    share = torch.where(lse_a == -math.inf, 0.0, torch.where(lse_b == -math.inf, 1.0, share)).unsqueeze(-1)
    return share * output_a + (1 - share) * output_b, lse

# %% zero_output_taken_for_empty | points 3 | Takes a half whose output is all zeros for one that saw no key, although its values may just have been zeros and its log-sum-exp is finite.
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse_a = lse_a.masked_fill((output_a == 0).all(dim=-1), float("-inf"))
    lse_b = lse_b.masked_fill((output_b == 0).all(dim=-1), float("-inf"))
    lse = torch.logaddexp(lse_a, lse_b)
    safe = lse.masked_fill(lse == float("-inf"), 0.0)
    weight_a = torch.exp(lse_a - safe).unsqueeze(-1)
    weight_b = torch.exp(lse_b - safe).unsqueeze(-1)
    return weight_a * output_a + weight_b * output_b, lse

# %% zeros_for_every_query | points 3 | If any query is empty in both halves, it returns zeros for all queries.
def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    """Output and log-sum-exp of attention over all keys, from those of two halves."""
    lse = torch.logaddexp(lse_a, lse_b)
    if (lse == float("-inf")).any():
        # both halves are empty
        return torch.zeros_like(output_a), lse
    share_a = torch.exp(lse_a - lse)[..., None]
    share_b = torch.exp(lse_b - lse)[..., None]
    return share_a * output_a + share_b * output_b, lse
