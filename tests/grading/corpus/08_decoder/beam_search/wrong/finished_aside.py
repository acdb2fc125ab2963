# finished aside
# points: 2

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        candidates.sort(key=lambda c: -c[1])
        beams = []
        for c in candidates:
            if eos_token is not None and c[0][-1] == eos_token:
                finished.append(c)
            else:
                beams.append(c)
            if len(beams) == num_beams:
                break
        if not beams:
            break
    best = max(finished + beams, key=lambda b: b[1] / len(b[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
