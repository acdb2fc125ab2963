# Adds 1e-8 to the standard deviation; a column that is constant in training becomes huge in the test.
# points: 4
def probe_with_control(
    states: Tensor,
    labels: Tensor,
    word_ids: Tensor,
    control_labels: Tensor,
    is_test: Tensor,
    num_labels: int,
    penalty: float,
) -> tuple[Tensor, Tensor]:
    train = ~is_test
    mean = states[train].mean(dim=0)
    std = ((states[train] - mean) ** 2).mean(dim=0).sqrt()
    x = (states - mean) / (std + 1e-8)
    a = x[train].T @ x[train] + penalty * torch.eye(states.shape[1])
    results = []
    for y in (labels, control_labels[word_ids]):
        hot = torch.nn.functional.one_hot(y, num_labels).float()
        b = hot[train].mean(dim=0)
        w = torch.linalg.solve(a, x[train].T @ (hot[train] - b))
        scores = x[is_test] @ w + b
        results.append((scores, (scores.argmax(dim=1) == y[is_test]).float().mean()))
    (scores, acc), (_, control) = results
    return scores, torch.stack([acc, control, acc - control])
