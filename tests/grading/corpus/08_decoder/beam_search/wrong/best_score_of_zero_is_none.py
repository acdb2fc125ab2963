# a best score of 0 counts as none, so that the next beam takes the place of a certain text
# points: 0
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def ended(tokens):
        return eos_token is not None and bool(tokens) and tokens[-1] == eos_token

    def value(beam):
        tokens, score = beam
        length = len(tokens)
        return score / length ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_prob in enumerate(next_log_probs(list(tokens)).tolist()):
                candidates.append((tokens + [token], score + log_prob))
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best_tokens, best_value = None, None
    for beam in beams:
        if not best_value or value(beam) > best_value:
            best_tokens, best_value = beam[0], value(beam)
    return best_tokens, best_value
