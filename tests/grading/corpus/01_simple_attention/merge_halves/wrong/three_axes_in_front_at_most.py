# Has a formula for up to three axes in front of the queries and none for four.
# points: 0
FORMULAS = {
    1: "q,qd->qd",
    2: "aq,aqd->aqd",
    3: "abq,abqd->abqd",
    4: "abcq,abcqd->abcqd",
}


def merge_halves(
    output_a: Tensor, lse_a: Tensor, output_b: Tensor, lse_b: Tensor
) -> tuple[Tensor, Tensor]:
    formula = FORMULAS[lse_a.dim()]
    lse = torch.logaddexp(lse_a, lse_b)
    empty = torch.isneginf(lse)
    a, b = lse_a.masked_fill(empty, 0.0), lse_b.masked_fill(empty, 0.0)
    share_a, share_b = torch.sigmoid(a - b), torch.sigmoid(b - a)
    output = torch.einsum(formula, share_a, output_a) + torch.einsum(formula, share_b, output_b)
    return output, lse
