# %% all_beams_come_back | points 0 | all beams come back
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return beams

# %% always_the_mean | points 0 | always the mean
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]))
    return best[0], best[1] / len(best[0])

# %% an_end_anywhere_but_last_is_looked_for | points 2 | an end anywhere but last is looked for
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if eos_token in tokens[:-1]:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% an_end_does_not_end | points 2 | an end does not end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% an_ended_text_beats_every_other | points 2 | an ended text beats every other
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    pool = [c for c in beams if c[0][-1] == eos_token] or beams
    best = max(pool, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% answers_remembered | points 0 | remembers the answers of the first language
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

# %% append_and_pop_on_one_list | points 0 | append and pop on one list
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                tokens.append(t)
                candidates.append((tokens[:], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% asks_with_the_first_beams_text | points 0 | asks with the first beam's text
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(beams[0][0])
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% asks_with_the_last_token_only | points 0 | asks with the last token only
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens[-1:])
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% beams_of_the_first_step_go_on_alone | points 0 | beams of the first step go on alone
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        if step == 0:
            beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        else:
            V = len(candidates) // len(beams)
            beams = [max(candidates[i * V:(i + 1) * V], key=lambda c: c[1]) for i in range(len(beams))]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% best_by_the_mean_the_sum_comes_back | points 3 | best by the mean, the sum comes back
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1]

# %% best_by_the_sum_then_divided | points 3 | best by the sum, then divided
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1])
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% best_score_of_zero_is_none | points 0 | a best score of 0 counts as none, so that the next beam takes the place of a certain text
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

# %% brackets | points 0 | The power is taken of the quotient, not of the length.
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""

    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def by_length(beam):
        tokens, score = beam
        return (score / len(tokens)) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                candidates.append(([*tokens, token], score + more))
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=by_length)
    return best[0], by_length(best)

# %% calls_the_model_as_if_it_took_a_tensor | points 0 | calls the model as if it took a tensor
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(torch.tensor(tokens))[0]
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% cut_at_num_beams_plus_one | points 0 | cut at num_beams plus one
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams + 1]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% default_one | points 0 | default one
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=1.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
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

# %% divided_by_max_tokens | points 3 | divided by max_tokens
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / max_tokens ** length_penalty)
    return best[0], best[1] / max_tokens ** length_penalty

# %% divides_by_max_tokens | points 3 | divides by max tokens
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / max_tokens ** length_penalty

    beams = [([], 0.0)]
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

# %% draws | points 0 | draws
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        i = torch.multinomial(torch.tensor([c[1] for c in candidates]).softmax(0), min(num_beams, len(candidates)))
        beams = [candidates[j] for j in i.tolist()]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% end_at_the_first_token | points 2 | A text whose very first token is the end isn't noticed to have ended and is written on.
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

# %% ended_beams_are_thrown_away | points 2 | ended beams are thrown away
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if not beams:
            return [], 0.0
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% ended_beams_get_the_end_once_more | points 2 | ended beams get the end once more
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens + [eos_token], score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% ended_beams_keep_a_place_of_their_own | points 2 | ended beams keep a place of their own
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

# %% ended_set_aside | points 2 | Sets ended texts aside, where they take up no beam and can't be pushed out any more.
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""
    beams, finished = [([], 0.0)], []
    for _ in range(max_tokens):
        candidates = [
            ([*tokens, token], score + more)
            for tokens, score in beams
            for token, more in enumerate(next_log_probs(tokens).tolist())
        ]
        candidates.sort(key=lambda c: c[1], reverse=True)
        beams = []
        for tokens, score in candidates[:num_beams]:
            if eos_token is not None and tokens[-1] == eos_token:
                finished.append((tokens, score))
            else:
                beams.append((tokens, score))
        if not beams or len(finished) >= num_beams:
            break
    ranked = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams + finished]
    return max(ranked, key=lambda r: r[1])

# %% finished_aside | points 2 | finished aside
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

# %% greedy | points 0 | greedy
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:1]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% greedy_goes_on | points 3 | a shortcut for one beam, which goes on after the end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    if num_beams == 1:
        tokens, score = [], 0.0
        for _ in range(max_tokens):
            more, token = next_log_probs(tokens).max(0)
            tokens, score = [*tokens, int(token)], score + float(more)
        return tokens, score / len(tokens) ** length_penalty
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
    beams = [(t, s / len(t) ** length_penalty) for t, s in beams]
    best = max(beams, key=lambda b: b[1])
    return best

# %% greedy_without_a_penalty | points 3 | a shortcut for one beam, which knows of no penalty
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    if num_beams == 1:
        tokens, score = [], 0.0
        for _ in range(max_tokens):
            more, token = next_log_probs(tokens).max(0)
            tokens, score = [*tokens, int(token)], score + float(more)
            if int(token) == eos_token:
                break
        return tokens, score
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
    beams = [(t, s / len(t) ** length_penalty) for t, s in beams]
    best = max(beams, key=lambda b: b[1])
    return best

# %% length_from_score | points 3 | length from score
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / (length_penalty ** len(beam[0]) if length_penalty else 1)

    beams = [([], 0.0)]
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

# %% length_less_one | points 3 | length less one
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / max(1, len(beam[0]) - 1) ** length_penalty

    beams = [([], 0.0)]
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

# %% length_penalty_forgotten | points 3 | length penalty forgotten
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1])
    return best[0], best[1]

# %% length_penalty_in_the_search | points 3 | length penalty in the search
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1] / len(c[0]) ** length_penalty, reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% length_times_penalty | points 3 | length times penalty
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / (len(c[0]) * length_penalty or 1))
    return best[0], best[1] / (len(best[0]) * length_penalty or 1)

# %% length_without_the_end | points 3 | length without the end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    def size(c):
        return max(1, len(c[0]) - (c[0][-1] == eos_token))

    best = max(beams, key=lambda c: c[1] / size(c) ** length_penalty)
    return best[0], best[1] / size(best) ** length_penalty

# %% log_of_log | points 0 | log of log
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + math.exp(log_p)))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)

# %% log_of_log_probabilities | points 0 | log of log-probabilities
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens).log()
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% log_probabilities_multiplied | points 0 | log-probabilities multiplied
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 1.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score * logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% merges_texts_with_the_same_last_two_tokens | points 0 | Of candidates with the same last two tokens only the best is kept, as if they were one: other texts get its place.
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
            state = (len(tokens), *tokens[-2:])
            if state not in best or score > best[state][1]:
                best[state] = (tokens, score)
        beams = sorted(best.values(), key=lambda beam: beam[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    finals = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams]
    return max(finals, key=lambda beam: beam[1])

# %% merges_texts_with_the_same_tokens | points 0 | Of candidates with the same tokens in another order only the best is kept.
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

# %% model_sees_the_last_two_tokens | points 0 | The model gets only the last two tokens instead of the text so far.
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def value(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens[-2:]).tolist()):
                candidates.append((tokens + [token], score + log_p))
        beams = sorted(candidates, key=lambda beam: beam[1], reverse=True)[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=value)
    return best[0], value(best)

# %% multiplied_by_the_length | points 3 | multiplied by the length
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] * len(c[0]) ** length_penalty)
    return best[0], best[1] * len(best[0]) ** length_penalty

# %% no_cut_the_exhaustive_search | points 0 | no cut: the exhaustive search
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% not_sorted | points 0 | not sorted
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = candidates[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% num_beams_from_each_beam_never_cut | points 0 | num_beams from each beam, never cut
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in logp.argsort(descending=True)[:num_beams].tolist():
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = candidates
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% one_list_for_all_candidates | points 0 | one list for all candidates
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                tokens.append(t)
                candidates.append((tokens, score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% one_token_too_few | points 0 | one token too few
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens - 1):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% one_token_too_many | points 0 | one token too many
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens + 1):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% only_the_last_step_may_end | points 2 | only the last step may end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                if t == eos_token and step < max_tokens - 1:
                    continue
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% penalty_of_one_at_most | points 3 | a length penalty above 1 is taken for 1
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""

    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def by_length(beam):
        tokens, score = beam
        return score / len(tokens) ** min(length_penalty, 1)

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                candidates.append(([*tokens, token], score + more))
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=by_length)
    return best[0], by_length(best)

# %% penalty_to_the_power_of_the_length | points 0 | penalty to the power of the length
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / length_penalty ** len(c[0]))
    return best[0], best[1] / length_penalty ** len(best[0])

# %% penalty_where_something_ends | points 3 | divides only if there is an `eos_token`
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

# %% probabilities_added | points 0 | probabilities added
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].exp().item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% probability_instead_of_its_logarithm | points 0 | probability instead of its logarithm
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], math.exp(best[1] / len(best[0]) ** length_penalty)

# %% score_before_tokens | points 0 | score before tokens
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[1] / len(best[0]) ** length_penalty, best[0]

# %% softmax_of_log_probabilities | points 0 | softmax of log-probabilities
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens).softmax(-1)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% sorted_by_the_last_token_alone | points 0 | sorted by the last token alone
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% sorted_the_wrong_way | points 0 | sorted the wrong way
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1])[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% starts_with_copies | points 0 | starts with copies
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

# %% starts_with_num_beams_empty_texts | points 0 | starts with num_beams empty texts
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)] * num_beams
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% stops_at_the_first_end | points 2 | stops at the first end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if any(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% stops_one_late | points 0 | stops one late
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens + 1):
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

# %% stops_when_the_best_by_length_has_ended | points 3 | Stops as soon as the best text, divided by its length, has ended.
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""

    def ended(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def by_length(beam):
        tokens, score = beam
        return score / len(tokens) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if ended(tokens):
                candidates.append((tokens, score))
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                candidates.append(([*tokens, token], score + more))
        candidates.sort(key=lambda beam: beam[1], reverse=True)
        beams = candidates[:num_beams]
        top = max(beams, key=by_length)
        if ended(top[0]):
            beams = [top]
            break
        if all(ended(tokens) for tokens, _ in beams):
            break
    best = max(beams, key=by_length)
    return best[0], by_length(best)

# %% stops_when_the_best_has_ended | points 3 | stops when the best has ended
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if beams[0][0][-1] == eos_token:
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% the_best_token_of_each_beam | points 0 | the best token of each beam
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            order = logp.argsort(descending=True)[:num_beams if not tokens else 1]
            for t in order.tolist():
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% the_end_is_taken_off | points 2 | the end is taken off
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    text = best[0][:-1] if best[0][-1] == eos_token else best[0]
    return text, best[1] / len(best[0]) ** length_penalty

# %% the_ends_log_probability_is_left_out | points 2 | the end's log-probability is left out
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + (0 if t == eos_token else logp[t].item())))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% the_formula_of_gnmt | points 3 | the formula of GNMT
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / ((5 + len(c[0])) / 6) ** length_penalty)
    return best[0], best[1] / ((5 + len(best[0])) / 6) ** length_penalty

# %% the_penalty_is_subtracted | points 3 | the penalty is subtracted
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] - length_penalty * len(c[0]))
    return best[0], best[1] - length_penalty * len(best[0])

# %% the_tokens_alone | points 0 | the tokens alone
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0]

# %% token_0_cannot_end_a_text | points 3 | token 0 cannot end a text
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    eos_token = eos_token or None
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            for t in range(len(logp)):
                candidates.append((tokens + [t], score + logp[t].item()))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% token_zero_never_ends | points 3 | Asks `if eos_token`, so a text never ends if its last token is to be token 0.
def beam_search(
    next_log_probs,
    num_beams: int,
    max_tokens: int,
    eos_token: int | None = None,
    length_penalty: float = 0.0,
) -> tuple[list[int], float]:
    """The best text that a search with `num_beams` beams finds, and its score."""
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if eos_token and tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            for token, log_prob in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_prob))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if eos_token and all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    results = [(tokens, score / len(tokens) ** length_penalty) for tokens, score in beams]
    return max(results, key=lambda r: r[1])

# %% top_of_the_running_only | points 2 | top of the running only
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    def is_done(tokens):
        return eos_token is not None and len(tokens) > 0 and tokens[-1] == eos_token

    def final(beam):
        return beam[1] / len(beam[0]) ** length_penalty

    beams = [([], 0.0)]
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if is_done(tokens):
                candidates.append((tokens, score))
                continue
            for token, log_p in enumerate(next_log_probs(tokens).tolist()):
                candidates.append((tokens + [token], score + log_p))
        done = [c for c in candidates if is_done(c[0])]
        rest = [c for c in candidates if not is_done(c[0])]
        beams = done + sorted(rest, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(is_done(t) for t, _ in beams):
            break
    best = max(beams, key=final)
    return best[0], final(best)

# %% topk_fails_with_few_tokens | points 0 | topk fails with few tokens
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            top = logp.topk(num_beams)
            for s, t in zip(top.values.tolist(), top.indices.tolist()):
                candidates.append((tokens + [t], score + s))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty
