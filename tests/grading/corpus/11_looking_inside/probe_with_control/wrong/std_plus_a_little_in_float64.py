# Adds 0.00000001 to all standard deviations instead of asking for constant columns, so columns of tiny numbers vanish.
# points: 4
def probe_with_control(states, labels, word_ids, control_labels, is_test, num_labels, penalty):
    train, test = states[~is_test].double(), states[is_test].double()
    mean = train.mean(dim=0)
    deviation = (train - mean).square().mean(dim=0).sqrt()
    deviation = deviation + 1e-8

    def standard(x):
        return (x - mean) / deviation

    def scores_for(targets):
        x = standard(train)
        y = F.one_hot(targets[~is_test], num_labels).double()
        b = y.mean(dim=0)
        matrix = x.T @ x + penalty * torch.eye(x.shape[1], dtype=torch.float64)
        w = torch.linalg.solve(matrix, x.T @ (y - b))
        return standard(test) @ w + b

    def accuracy_of(scores, targets):
        return (scores.argmax(dim=-1) == targets[is_test]).float().mean()

    control = control_labels[word_ids]
    scores = scores_for(labels)
    accuracy = accuracy_of(scores, labels)
    control_accuracy = accuracy_of(scores_for(control), control)
    accuracies = torch.stack([accuracy, control_accuracy, accuracy - control_accuracy])
    return scores.float(), accuracies
