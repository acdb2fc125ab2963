# nan_to_num
# points: 4

def averaged_scores(confusion, classes, average):
    idx = torch.as_tensor(classes)
    m = confusion.float()
    tp, pred, true = m.diag()[idx], m.sum(0)[idx], m.sum(1)[idx]
    if average == "micro":
        tp, pred, true = tp.sum().view(1), pred.sum().view(1), true.sum().view(1)
    p, r = (tp / pred).nan_to_num(0), (tp / true).nan_to_num(0)
    f = (2 * p * r / (p + r)).nan_to_num(0)
    s = torch.stack((p, r, f), dim=1)
    if average == "weighted":
        return (true / true.sum()).nan_to_num(0) @ s
    return s.mean(0)
