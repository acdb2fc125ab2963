# loop over queries
# points: 3

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
