# average and sum of lse
# points: 0

def merge_halves(output_a, lse_a, output_b, lse_b):
    return (output_a + output_b) / 2, lse_a + lse_b
