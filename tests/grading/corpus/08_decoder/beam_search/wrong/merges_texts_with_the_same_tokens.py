# Of candidates with the same tokens in another order only the best is kept.
# points: 0
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            for token, value in enumerate(next_log_probs(list(tokens)).tolist()):
                candidates.append((tokens + [token], score + value))
        best = {}
        for tokens, score in candidates:
            state = tuple(sorted(tokens))
            if state not in best or score > best[state][1]:
                best[state] = (tokens, score)
        beams = sorted(best.values(), key=lambda beam: beam[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    finals = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams]
    return max(finals, key=lambda beam: beam[1])
