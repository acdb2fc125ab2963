# Compares each position with the target of the next one, as in a language model's loss; the text says not to shift.
# points: 0
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    # position t predicts token t + 1
    targets = torch.cat([target_ids[:, 1:], target_ids[:, -1:]], dim=1)
    states = [
        F.layer_norm(h, norm_weight.shape, norm_weight, norm_bias, 1e-5) for h in hidden_states[:-1]
    ] + [hidden_states[-1]]
    logits = torch.stack(states) @ table.T
    index = targets.expand(len(states), -1, -1).unsqueeze(-1)
    log_probs = logits.log_softmax(-1).gather(-1, index).squeeze(-1)
    ranks = (logits > logits.gather(-1, index)).sum(-1)
    settled = torch.zeros_like(targets)
    for d in range(len(states)):
        settled[ranks[d] > 0] = d + 1
    return log_probs, ranks, settled
