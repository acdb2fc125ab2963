# sigmoid-of-the-difference
# points: 4

def merge_halves(output_a, lse_a, output_b, lse_b):
    d = lse_a - lse_b
    both = torch.isneginf(lse_a) & torch.isneginf(lse_b)
    d = torch.where(both, torch.zeros_like(d), d)
    wa = torch.sigmoid(d).unsqueeze(-1)
    wb = torch.sigmoid(-d).unsqueeze(-1)
    return output_a * wa + output_b * wb, torch.logaddexp(lse_a, lse_b)
