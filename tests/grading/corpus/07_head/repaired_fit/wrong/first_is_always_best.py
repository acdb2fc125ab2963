# The first loss is the best whatever it is: if it is NaN, nothing is ever lower.
# points: 3
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    """Train with early stopping; the model ends with its best weights."""
    best_loss, best, waited, history = None, None, 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if best_loss is None or loss < best_loss:
            best_loss = loss
            best = {name: value.clone() for name, value in model.state_dict().items()}
            waited = 0
        else:
            waited += 1
            if waited >= patience:
                break
    model.load_state_dict(best)
    model.eval()
    return history
