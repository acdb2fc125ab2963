# loops
# points: 4

def fold_norm(before, norm, after):
    n = len(norm['weight'])
    P = torch.eye(n) - 1 / n
    nb = {k: torch.tensordot(P, v, 1) for k, v in before.items()}
    b = torch.zeros(after['weight'].size(0))
    for j in range(n):
        b = b + after['weight'][:, j] * norm['bias'][j]
    if 'bias' in after: b = b + after['bias']
    return nb, {'bias': b, 'weight': torch.einsum('oj,j->oj', after['weight'], norm['weight'])}
