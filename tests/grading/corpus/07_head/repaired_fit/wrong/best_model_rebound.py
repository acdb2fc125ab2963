# Copies the whole model and at the end gives the *name* model to the copy: the caller's model keeps its last weights.
# points: 3
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best_model, waited, history = math.inf, model, 0, []
    for epoch in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited = loss, 0
            best_model = copy.deepcopy(model)
        else:
            waited += 1
        if waited == patience:
            break
    model = best_model
    model.eval()
    return history
