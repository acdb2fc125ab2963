# Adds 1e-12 to the standard deviation in place of asking for constant columns, and judges the control by the real labels.
# points: 3
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    x = states.double()
    train = x[~is_test]
    mean = train.mean(0)
    std = ((train - mean) ** 2).mean(0).sqrt()
    constant = torch.zeros_like(std, dtype=torch.bool)
    z = (x - mean) / (std + 1e-12)
    z[:, constant] = 0.0
    train, test = z[~is_test], z[is_test]

    def fit_and_score(classes):
        y = F.one_hot(classes[~is_test].long(), num_labels).double()
        b = y.mean(0)
        square = train.T @ train + penalty * torch.eye(train.shape[1], dtype=torch.float64)
        w = torch.linalg.solve(square, train.T @ (y - b))
        return test @ w + b

    control = control_labels[word_ids.long()]
    scores = fit_and_score(labels)
    control_scores = fit_and_score(control)
    accuracy = (scores.argmax(-1) == labels[is_test]).float().mean()
    control_accuracy = (control_scores.argmax(-1) == labels[is_test]).float().mean()
    accuracies = torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
    return scores.float(), accuracies
