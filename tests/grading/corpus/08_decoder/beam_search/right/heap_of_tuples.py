# heap of tuples
# points: 4

import heapq


def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [(0.0, ())]
    for _ in range(max_tokens):
        if beams[0][1] and all(t[-1] == eos_token for _, t in beams):
            break
        pool = []
        for score, tokens in beams:
            if tokens and tokens[-1] == eos_token:
                pool.append((score, tokens))
            else:
                pool.extend(
                    (score + p, (*tokens, i))
                    for i, p in enumerate(next_log_probs(list(tokens)).double().tolist())
                )
        beams = heapq.nlargest(num_beams, pool)
    value, tokens = max((s / len(t) ** length_penalty, t) for s, t in beams)
    return list(tokens), value
