# namedtuple
# points: 4

from collections import namedtuple
Merged = namedtuple('Merged', 'output lse')
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b], -1).softmax(-1).nan_to_num(0.)
    return Merged(w[..., :1] * output_a + w[..., 1:] * output_b, torch.stack([lse_a, lse_b]).logsumexp(0))
