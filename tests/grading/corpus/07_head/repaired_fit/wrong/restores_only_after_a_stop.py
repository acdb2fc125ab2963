# Two bugs left: the best weights come back only when patience ran out; and train() is called only once, so later epochs train in evaluation mode.
# points: 2
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
            if waited == patience:
                model.load_state_dict(best)
                break
    return history
