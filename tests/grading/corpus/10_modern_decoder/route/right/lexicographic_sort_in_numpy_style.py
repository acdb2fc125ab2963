# a stable argsort of the negative sums, one_hot for the load
# points: 4

def route(logits, bias, top_k, speed=0.001):
    probs = torch.sigmoid(logits)
    with torch.no_grad():
        ids = torch.argsort(-(probs + bias), dim=-1, stable=True)[..., :top_k]
        load = F.one_hot(ids, logits.shape[-1]).sum(dim=(0, 1))
        mean = ids.numel() / logits.shape[-1]
        new_bias = bias.clone()
        new_bias[load > mean] -= speed
        new_bias[load < mean] += speed
    picked = torch.gather(probs, 1, ids)
    return picked / picked.sum(1, keepdim=True), ids, new_bias
