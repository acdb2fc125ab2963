# one matrix of scores
# points: 4

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
