# the index of the best epoch is 0 and counts as none, so the first weights are not put back
# points: 3
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history, at = math.inf, None, 0, [], 0
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited, at = loss, 0, len(history) - 1
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if at:
        model.load_state_dict(best)
    return history

