# divides only if there is an `eos_token`
# points: 3

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    pass
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        new = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                new.append((tokens, score))
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                new.append(([*tokens, token], score + more))
        beams = sorted(new, key=lambda b: b[1], reverse=True)[:num_beams]
        if all(t[-1] == eos_token for t, _ in beams):
            break
    if eos_token is not None:
        beams = [(t, s / len(t) ** length_penalty) for t, s in beams]
    best = max(beams, key=lambda b: b[1])
    return best
