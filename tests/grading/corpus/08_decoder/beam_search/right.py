# %% a_tensor_of_tokens | points 4 | a tensor of tokens
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
    return torch.tensor(best[0]), best[1] / len(best[0]) ** length_penalty

# %% all_steps_ended_beams_stay_as_they_are | points 4 | all steps, ended beams stay as they are
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
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% heap_of_tuples | points 4 | heap of tuples
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

# %% one_matrix_of_scores | points 4 | one matrix of scores
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_tokens):
        rows = []
        for text, score in zip(texts, scores, strict=True):
            more = next_log_probs(list(text)).double()
            if text and text[-1] == eos_token:
                more = torch.full_like(more, -math.inf)
                more[eos_token] = 0.0
            rows.append(score + more)
        table = torch.stack(rows)
        flat = table.flatten()
        best = flat.topk(min(num_beams, int((flat > -math.inf).sum())))
        texts = [
            texts[i // table.size(1)] + [i % table.size(1)]
            if not (texts[i // table.size(1)] and texts[i // table.size(1)][-1] == eos_token)
            else texts[i // table.size(1)]
            for i in best.indices.tolist()
        ]
        scores = best.values
    finals = [s / len(t) ** length_penalty for t, s in zip(texts, scores.tolist(), strict=True)]
    at = max(range(len(texts)), key=finals.__getitem__)
    return texts[at], finals[at]

# %% scores_from_the_text_each_time | points 4 | scores from the text each time
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

# %% topk_for_each_beam_is_enough | points 4 | topk for each beam is enough
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    beams = [([], 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(tokens)
            top = logp.topk(min(num_beams, logp.numel()))
            for s, t in zip(top.values.tolist(), top.indices.tolist(), strict=True):
                candidates.append(([*tokens, t], score + s))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:num_beams]
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty

# %% topk_of_the_flat_table | points 4 | topk of the flat table
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1)

    def over(text):
        return bool(text) and eos_token is not None and text[-1] == eos_token

    for _ in range(max_tokens):
        rows = []
        for text, score in zip(texts, scores):
            if over(text):
                row = None
            else:
                row = score + next_log_probs(text)
            rows.append(row)
        vocab = max(len(r) for r in rows if r is not None)
        table = torch.stack([
            torch.cat([torch.full((vocab,), -torch.inf), scores[i:i + 1]]) if r is None
            else torch.cat([r, torch.tensor([-torch.inf])])
            for i, r in enumerate(rows)
        ])
        possible = int((table > -torch.inf).sum())
        scores, flat = table.flatten().topk(min(num_beams, possible))
        texts = [
            texts[f // (vocab + 1)] + ([] if f % (vocab + 1) == vocab else [f % (vocab + 1)])
            for f in flat.tolist()
        ]
        if all(map(over, texts)):
            break
    final = [s / len(t) ** length_penalty for s, t in zip(scores.tolist(), texts)]
    best = max(range(len(final)), key=final.__getitem__)
    return texts[best], final[best]

# %% tuples_a_heap_a_list_at_the_end | points 4 | tuples, a heap, a list at the end
def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    import heapq
    beams = [((), 0.0)]
    for step in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens and tokens[-1] == eos_token:
                candidates.append((tokens, score))
                continue
            logp = next_log_probs(list(tokens))
            for t in range(len(logp)):
                candidates.append(((*tokens, t), score + logp[t].item()))
        beams = heapq.nlargest(num_beams, candidates, key=lambda c: c[1])
        if all(tokens[-1] == eos_token for tokens, _ in beams):
            break
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return list(best[0]), best[1] / len(best[0]) ** length_penalty
