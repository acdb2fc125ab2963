# counts epochs since best_epoch, which begins at 0: if the first loss is NaN it waits one epoch too long
# points: 3

def repaired_fit(model, train_one_epoch, validation_loss, epochs, patience):
    best_loss, best_epoch, history = math.inf, 0, []
    best = copy.deepcopy(model.state_dict())
    for epoch in range(epochs):
        model.train()
        train_one_epoch(model)
        model.eval()
        loss = validation_loss(model)
        history.append(loss)
        if loss < best_loss:
            best_loss, best_epoch = loss, epoch
            best = copy.deepcopy(model.state_dict())
        elif epoch - best_epoch >= patience:
            break
    model.load_state_dict(best)
    return history
