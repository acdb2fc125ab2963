# Asks `if eos_token`, so a text never ends if its last token is to be token 0.
# points: 3
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if eos_token and tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            for token, log_prob in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_prob))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if eos_token and all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    results = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams]
    return max(results, key=lambda r: r[1])
