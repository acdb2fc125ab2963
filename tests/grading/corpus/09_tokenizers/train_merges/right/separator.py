# pieces between zero bytes, split and joined
# points: 4

def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [["\0".join(w), n] for w, n in counts.items()]
    found = []
    for _ in range(num_merges):
        freq = Counter()
        for text, n in words:
            parts = text.split("\0")
            for i in range(1, len(parts)):
                freq[parts[i - 1], parts[i]] += n
        limit = max_length or float("inf")
        ok = sorted((p for p in freq if len(p[0] + p[1]) <= limit and freq[p] >= min_frequency), key=lambda p: (-freq[p], p[0], p[1]))
        if not ok:
            break
        left, right = ok[0]
        found.append([left, right])
        for entry in words:
            parts, out = entry[0].split("\0"), []
            while parts:
                if parts[:2] == [left, right]:
                    out.append(left + right)
                    parts = parts[2:]
                else:
                    out.append(parts.pop(0))
            entry[0] = "\0".join(out)
    return found
