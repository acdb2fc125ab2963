# starts with copies
# points: 0

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)] * num_beams
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)
