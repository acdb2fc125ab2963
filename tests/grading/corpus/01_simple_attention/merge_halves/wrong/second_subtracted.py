# Subtracts the second half's log-sum-exp, which need not be the larger one.
# points: 3
def merge_halves(output_a, lse_a, output_b, lse_b):
    base = lse_b.masked_fill(lse_b == -math.inf, 0.0)
    e_a, e_b = (lse_a - base).exp(), (lse_b - base).exp()
    total = e_a + e_b
    lse = base + total.log()
    safe = total.masked_fill(total == 0, 1.0)
    return (e_a / safe)[..., None] * output_a + (e_b / safe)[..., None] * output_b, lse
