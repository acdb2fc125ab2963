# A loss of exactly 0 is not written down.
# points: 0
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss:
            history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    if best is not None:
        model.load_state_dict(best)
    return history
