# compares with min(history so far), which is NaN for ever if the first loss was NaN
# points: 3

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best, waited, history = copy.deepcopy(model.state_dict()), 0, []
    for _ in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        if loss < min(history, default=math.inf):
            best, waited = copy.deepcopy(model.state_dict()), 0
        else:
            waited += 1
        history.append(loss)
        if waited == patience:
            break
    model.load_state_dict(best)
    return history
