# topk of the flat table
# points: 4

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
