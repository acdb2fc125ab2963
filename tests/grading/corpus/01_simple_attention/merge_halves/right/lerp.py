# lerp
# points: 4

def merge_halves(output_a, lse_a, output_b, lse_b):
    share = torch.sigmoid(lse_b - lse_a).nan_to_num(0.5).unsqueeze(-1)
    return torch.lerp(output_a, output_b, share), torch.logaddexp(lse_a, lse_b)
