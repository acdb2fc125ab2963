# %% generic_over_many_halves | points 4 | generic over many halves
def merge(*halves):
    lse = torch.stack([l for _, l in halves]); o = torch.stack([o for o, _ in halves])
    whole = lse.logsumexp(0)
    share = torch.where(lse.isneginf(), 0., (lse - whole.clamp(min=-1e38)).exp())
    return torch.einsum('h...q,h...qd->...qd', share, o), whole
def merge_halves(output_a, lse_a, output_b, lse_b):
    return merge((output_a, lse_a), (output_b, lse_b))

# %% gradient_of_a_tie_not_thought_of | points 4 | Builds the log-sum-exp from the larger one and the absolute gap, whose gradients are 1 and 0 in place of 1/2 and 1/2 where both are exactly equal.
def merge_halves(output_a, lse_a, output_b, lse_b):
    larger = torch.where(lse_a >= lse_b, lse_a, lse_b)
    both_empty = torch.isneginf(larger)
    gap = (lse_a - lse_b).masked_fill(both_empty, 0.0).abs()
    lse = larger + torch.log1p(torch.exp(-gap))
    safe = lse.masked_fill(both_empty, 0.0)
    weight_a = torch.exp(lse_a - safe).unsqueeze(-1)
    weight_b = torch.exp(lse_b - safe).unsqueeze(-1)
    return weight_a * output_a + weight_b * output_b, lse

# %% lerp | points 4 | lerp
def merge_halves(output_a, lse_a, output_b, lse_b):
    share = torch.sigmoid(lse_b - lse_a).nan_to_num(0.5).unsqueeze(-1)
    return torch.lerp(output_a, output_b, share), torch.logaddexp(lse_a, lse_b)

# %% list | points 4 | list
def merge_halves(oa, la, ob, lb):
    lse = torch.logaddexp(la, lb)
    f = lse.masked_fill(lse.isinf(), 0)
    return [oa * (la - f).exp()[..., None] + ob * (lb - f).exp()[..., None], lse]

# %% list_of_two | points 4 | list of two
def merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    f = lse.masked_fill(lse == -math.inf, 0.)
    a, b = (lse_a - f).exp()[..., None], (lse_b - f).exp()[..., None]
    return [a * output_a + b * output_b, lse]

# %% maximum_and_log1p | points 4 | maximum and log1p
def merge_halves(output_a, lse_a, output_b, lse_b):
    hi, lo = torch.maximum(lse_a, lse_b), torch.minimum(lse_a, lse_b)
    d = (lo - hi).nan_to_num(0., neginf=-math.inf)
    lse = hi + torch.log1p(d.exp())
    p = (1 / (1 + d.exp()))[..., None]
    first = (lse_a >= lse_b)[..., None]
    return torch.where(first, p * output_a + (1 - p) * output_b, (1 - p) * output_a + p * output_b), lse

# %% naive_in_float64 | points 4 | naive in float64
def merge_halves(output_a, lse_a, output_b, lse_b):
    a, b = lse_a.double().exp(), lse_b.double().exp()
    t = a + b
    o = (a[..., None] * output_a + b[..., None] * output_b) / t[..., None]
    return o.nan_to_num(0.).float(), t.log().float()

# %% namedtuple | points 4 | namedtuple
from collections import namedtuple
Merged = namedtuple('Merged', 'output lse')
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b], -1).softmax(-1).nan_to_num(0.)
    return Merged(w[..., :1] * output_a + w[..., 1:] * output_b, torch.stack([lse_a, lse_b]).logsumexp(0))

# %% sigmoid_of_the_difference | points 4 | sigmoid-of-the-difference
def merge_halves(output_a, lse_a, output_b, lse_b):
    d = lse_a - lse_b
    both = torch.isneginf(lse_a) & torch.isneginf(lse_b)
    d = torch.where(both, torch.zeros_like(d), d)
    wa = torch.sigmoid(d).unsqueeze(-1)
    wb = torch.sigmoid(-d).unsqueeze(-1)
    return output_a * wa + output_b * wb, torch.logaddexp(lse_a, lse_b)

# %% softmax_of_a_stack_with_empties_replaced | points 4 | softmax-of-a-stack-with-empties-replaced
def merge_halves(output_a, lse_a, output_b, lse_b):
    lses = torch.stack((lse_a, lse_b), dim=-1)
    empty = (lses == -math.inf).all(-1, keepdim=True)
    share = lses.masked_fill(empty, 0.0).softmax(-1)
    out = torch.einsum("...qh,...qvh->...qv", share, torch.stack((output_a, output_b), -1))
    return [out, torch.logsumexp(lses, -1)]
