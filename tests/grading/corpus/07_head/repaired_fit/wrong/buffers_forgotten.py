# Keeps the parameters of the best epoch only; the buffers stay those of the last one.
# points: 3
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""

    def snapshot():
        return {name: p.detach().clone() for name, p in model.named_parameters()}

    best_loss, best, waited, history = math.inf, snapshot(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best, waited = loss, snapshot(), 0
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best, strict=False)
    model.eval()
    return history
