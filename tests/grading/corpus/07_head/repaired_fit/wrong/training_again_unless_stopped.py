# in training mode again after each epoch, and left in it where the epochs run out
# points: 3

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = math.inf, None, 0, []
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
            break
        model.train()
    if best is not None:
        model.load_state_dict(best)
    return history
