# Takes the embeddings as they are: only what the layers leave behind is normed.
# points: 0
def logit_lens(
    hidden_states: tuple[Tensor, ...],
    norm_weight: Tensor,
    norm_bias: Tensor,
    table: Tensor,
    target_ids: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    norm = lambda x: F.layer_norm(x, x.shape[-1:], norm_weight, norm_bias, 1e-5)
    states = [hidden_states[0]]
    for h in hidden_states[1:-1]:
        states.append(norm(h))
    states.append(hidden_states[-1])  # already normed
    logits = torch.stack(states) @ table.T
    n = len(states)
    idx = target_ids[None, :, :, None].repeat(n, 1, 1, 1)
    log_probs = torch.log_softmax(logits, -1).gather(-1, idx)[..., 0]
    ranks = (logits > logits.gather(-1, idx)).sum(-1)
    on_top = (ranks == 0).int()
    # trailing run of ones
    run = on_top.flip(0).cumprod(0).sum(0)
    return log_probs, ranks, n - run
