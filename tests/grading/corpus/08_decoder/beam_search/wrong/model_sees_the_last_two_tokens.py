# The model gets only the last two tokens instead of the text so far.
# points: 0
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def value(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens[-2:]).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda beam: beam[1], reverse=True)[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=value)
    return best[0], value(best)
