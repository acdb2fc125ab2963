# Sets ended texts aside, where they take up no beam and can't be pushed out any more.
# points: 2
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        candidates = [
            ([*tokens, token], score + more)
            for tokens, score in beams
            for token, more in enumerate(next_log_probs(tokens).tolist())
        ]
        candidates.sort(key=lambda c: c[1], reverse=True)
        beams = []
        for tokens, score in candidates[:num_beams]:
            if eos_token is not None and tokens[-1] == eos_token:
                finished.append((tokens, score))
            else:
                beams.append((tokens, score))
        if not beams or len(finished) >= num_beams:
            break
    ranked = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams + finished]
    return max(ranked, key=lambda r: r[1])
