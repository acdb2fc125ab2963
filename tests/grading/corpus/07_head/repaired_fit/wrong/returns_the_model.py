# returns the model
# points: 0

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited = math.inf, None, 0
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < best_loss:
            best_loss, best, waited = loss, copy.deepcopy(model), 0
        else:
            waited += 1
        if waited == patience:
            break
    return best
