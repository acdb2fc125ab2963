# ended beams keep a place of their own
# points: 2

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    done = []
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        done += [c for c in candidates[:num_beams] if c[0][-1] == eos_token]
        beams = [c for c in candidates if c[0][-1] != eos_token][:num_beams]
        if len(done) >= num_beams:
            break
    best = max(done or beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
