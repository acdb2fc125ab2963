# inference mode
# points: 3

@torch.inference_mode()
def merge_halves(output_a, lse_a, output_b, lse_b):
    w = torch.stack([lse_a, lse_b]).softmax(0).nan_to_num(0.)[..., None]
    return w[0] * output_a + w[1] * output_b, torch.logaddexp(lse_a, lse_b)
