# Two bugs are left: the count is never set back, and only the first epoch trains in training mode.
# points: 2
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, copy.deepcopy(model.state_dict()), 0, []
    model.train()
    for _ in range(epochs):
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss = loss
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    model.eval()
    return history
