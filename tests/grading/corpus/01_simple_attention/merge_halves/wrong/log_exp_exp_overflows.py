# log-exp-exp-overflows
# points: 3

def merge_halves(output_a, lse_a, output_b, lse_b):
    ea, eb = lse_a.exp(), lse_b.exp()
    total = ea + eb
    safe = torch.where(total == 0, torch.ones_like(total), total)
    output = (ea / safe)[..., None] * output_a + (eb / safe)[..., None] * output_b
    return output, total.log()
