# The dual form with a matrix of examples by examples, both tasks at once.
# points: 5
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train = states[is_test.logical_not()].double()
    used = train.amin(0) < train.amax(0)
    var, mean = torch.var_mean(train[:, used], dim=0, correction=0)
    z = (states[:, used].double() - mean) / var.sqrt()
    a, c = z[~is_test], z[is_test]
    tasks = torch.stack([labels, control_labels[word_ids]], dim=1)
    y = F.one_hot(tasks[~is_test], num_labels).double().flatten(1)
    b = y.mean(0)
    kernel = a @ a.T + penalty * torch.eye(len(a), dtype=torch.float64)
    out = c @ a.T @ torch.linalg.solve(kernel, y - b) + b
    out = out.unflatten(1, (2, num_labels))
    hits = (out.argmax(-1) == tasks[is_test]).sum(0)
    first, second = (hits / len(c)).float()
    return out[:, 0].to(states.dtype), torch.stack([first, second, first - second])
