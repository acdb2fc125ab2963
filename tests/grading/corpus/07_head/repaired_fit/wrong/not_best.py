# asks "not best", so a best loss of 0 is forgotten
# points: 0

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best, waited, history = None, copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if not math.isnan(loss) and (not best_loss or loss < best_loss):
            best_loss, waited = loss, 0
            best = copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited == patience:
            break
    model.load_state_dict(best)
    return history
