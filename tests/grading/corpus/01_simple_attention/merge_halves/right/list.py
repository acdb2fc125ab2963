# list
# points: 4

def merge_halves(oa, la, ob, lb):
    lse = torch.logaddexp(la, lb)
    f = lse.masked_fill(lse.isinf(), 0)
    return [oa * (la - f).exp()[..., None] + ob * (lb - f).exp()[..., None], lse]
