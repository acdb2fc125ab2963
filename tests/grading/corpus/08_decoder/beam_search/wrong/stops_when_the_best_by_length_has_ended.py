# Stops as soon as the best text, divided by its length, has ended.
# points: 3
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""

    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def by_length(beam):
        tokens, score = beam
        return score / len(tokens) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                candidates.append(([*tokens, token], score + more))
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        top = max(beams, key=by_length)
        if ended(top[0]):
            beams = [top]
            break
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=by_length)
    return best[0], by_length(best)
