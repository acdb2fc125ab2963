# A text whose very first token is the end isn't noticed to have ended and is written on.
# points: 2
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def ended(tokens):
        return eos_token is not None and len(tokens) > 1 and tokens[-1] == eos_token

    def value(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
            else:
                for token, log_prob in enumerate(next_log_probs(tokens).tolist()):
                    candidates.append((tokens + [token], score + log_prob))
        beams = sorted(candidates, key=lambda beam: beam[1], reverse=True)[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=value)
    return best[0], value(best)
