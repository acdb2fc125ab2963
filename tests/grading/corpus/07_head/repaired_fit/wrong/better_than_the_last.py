# The count starts again whenever the loss is lower than in the epoch before, not only when it is lower than the best.
# points: 0
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, last, waited, history, best = math.inf, math.inf, 0, [], None
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best = loss, copy.deepcopy(model.state_dict())
        waited = 0 if loss < last else waited + 1
        last = loss
        if waited >= patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history
