# Restores what holds floating numbers; a buffer that counts keeps its last value.
# points: 3
def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    def snapshot():
        state = model.state_dict()
        return {name: state[name].clone() for name in state if state[name].is_floating_point()}

    best_loss, best, waited, history = math.inf, snapshot(), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, waited, best = loss, 0, snapshot()
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best, strict=False)
    model.eval()
    return history
