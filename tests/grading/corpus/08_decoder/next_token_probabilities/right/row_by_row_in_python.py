# row by row in Python
# points: 4

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        order = sorted(range(len(row)), key=lambda t: -row[t].item())
        if temperature == 0:
            keep = order[:1]
            scaled = row
        else:
            scaled = row / temperature
            keep = order[:top_k] if top_k else order
            if top_p is not None:
                p = scaled[keep].softmax(0).tolist()
                n, total = 0, 0.0
                while n < len(keep) and total < top_p:
                    total += p[n]
                    n += 1
                keep = keep[:n]
        out = torch.zeros(len(row))
        out[keep] = scaled[keep].softmax(0)
        rows.append(out)
    return torch.stack(rows).reshape(logits.shape)
