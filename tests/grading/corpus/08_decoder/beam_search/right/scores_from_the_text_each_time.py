# scores from the text each time
# points: 4

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    cached = {}

    def score(text):
        if not text:
            return 0.0
        if text not in cached:
            before = text[:-1]
            rows = next_log_probs(list(before))
            for token, value in enumerate(rows):
                cached[before + (token,)] = score(before) + float(value)
        return cached[text]

    beams, vocab = {()}, len(next_log_probs([]))
    for _ in range(max_tokens):
        pool = {b for b in beams if b and b[-1] == eos_token}
        pool |= {b + (t,) for b in beams - pool for t in range(vocab)}
        beams = set(sorted(pool, key=score)[-num_beams:])
    value, text = max((score(b) / len(b) ** length_penalty, b) for b in beams)
    return [*text], value
