# %% end_marker | points 0 | with a marker at the end of each word
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) + ['</w>'] for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [p for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c, key=lambda p: (-freq[p], p))
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best: p[i:i+2] = [p[i]+p[i+1]]
                i += 1
    return out

# %% global_counter | points 0 | the frequencies are not reset
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    freq = Counter()
    out = []
    for _ in range(num_merges):
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [(-n, p) for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c)[1]
        out.append(best)
        for w, p in words.items():
            q, i = [], 0
            while i < len(p):
                if i < len(p)-1 and (p[i], p[i+1]) == best:
                    q.append(p[i]+p[i+1]); i += 2
                else:
                    q.append(p[i]); i += 1
            words[w] = q
    return out

# %% ignores_limits | points 2 | neither limit, default tie
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        if not freq: break
        best, n = freq.most_common(1)[0]
        if n < min_frequency: break
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best: p[i:i+2] = [p[i]+p[i+1]]
                i += 1
    return out

# %% last_dropped | points 0 | the loop over a word forgets its last piece
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [(-n, p) for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c)[1]
        out.append(best)
        for w, p in words.items():
            q, i = [], 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best:
                    q.append(p[i]+p[i+1]); i += 2
                else:
                    q.append(p[i]); i += 1
            words[w] = q
    return out

# %% length_in_bytes | points 3 | max_length is compared with the number of bytes instead of characters, as in a byte-level trainer.
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {word: list(word) for word in counts}
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for word, pieces in words.items():
            for pair in pairwise(pieces):
                freq[pair] += counts[word]
        ok = [
            p for p in freq
            if freq[p] >= min_frequency and (max_length is None or len((p[0] + p[1]).encode()) <= max_length)
        ]
        if not ok:
            break
        best = min(ok, key=lambda p: (-freq[p], p))
        merges.append(best)
        for word, pieces in words.items():
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(pieces[i] + pieces[i + 1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            words[word] = new
    return merges

# %% max_first_seen | points 3 | max of a Counter: ties go to what was counted first
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    vocab = {tuple(w): c for w, c in counts.items()}
    merges = []
    for _ in range(num_merges):
        stats = Counter()
        for w, c in vocab.items():
            for a, b in zip(w, w[1:]):
                if max_length is None or len(a + b) <= max_length:
                    stats[a, b] += c
        if not stats:
            break
        best = max(stats, key=stats.get)
        if stats[best] < min_frequency:
            break
        merges.append(best)
        new = {}
        for w, c in vocab.items():
            out, i = [], 0
            while i < len(w):
                if w[i:i + 2] == best:
                    out.append(w[i] + w[i + 1]); i += 2
                else:
                    out.append(w[i]); i += 1
            new[tuple(out)] = c
        vocab = new
    return merges

# %% max_of_nothing | points 3 | does not stop when no pair is left
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = {w: tuple(w) for w in counts}
    merges = []
    while len(merges) < num_merges:
        freq = Counter()
        for w, seq in corpus.items():
            for p in zip(seq, seq[1:]):
                if max_length is None or len(p[0] + p[1]) <= max_length:
                    freq[p] += counts[w]
        m = max(freq.values())
        if m < min_frequency:
            break
        best = min(p for p in freq if freq[p] == m)
        merges.append(best)
        for w, seq in corpus.items():
            out = []
            it = iter(range(len(seq)))
            for i in it:
                if seq[i:i + 2] == best:
                    out.append(seq[i] + seq[i + 1]); next(it)
                else:
                    out.append(seq[i])
            corpus[w] = tuple(out)
    return merges

# %% max_tie_and_two | points 2 | Ties go to the larger pair (max of frequency and pair), and a pair that occurs once is never merged, even with min_frequency 1.
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for w, pieces in words.items():
            for pair in pairwise(pieces):
                freq[pair] += counts[w]
        good = [
            (n, p)
            for p, n in freq.items()
            if n >= max(2, min_frequency) and (max_length is None or len("".join(p)) <= max_length)
        ]
        if not good:
            return merges
        _, best = max(good)
        merges.append(best)
        for w, pieces in words.items():
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(best[0] + best[1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            words[w] = new
    return merges

# %% memo_without_max_length | points 3 | a cache by words, number and least frequency forgets the length
_kept = {}

def merged(pieces, pair):
    result, place = [], 0
    while place < len(pieces):
        if tuple(pieces[place : place + 2]) == pair:
            result.append(pieces[place] + pieces[place + 1])
            place += 2
        else:
            result.append(pieces[place])
            place += 1
    return result


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    key = (frozenset(counts.items()), num_merges, min_frequency)
    if key in _kept:
        return list(_kept[key])
    words = [(list(word), count) for word, count in counts.items()]
    merges = []
    for _ in range(num_merges):
        frequency = Counter()
        for pieces, count in words:
            for pair in pairwise(pieces):
                frequency[pair] += count
        possible = [
            pair
            for pair in frequency
            if frequency[pair] >= min_frequency
            and (max_length is None or len("".join(pair)) <= max_length)
        ]
        if not possible:
            break
        best = min(possible, key=lambda pair: (-frequency[pair], pair))
        merges.append(best)
        words = [(merged(pieces, best), count) for pieces, count in words]
    _kept[key] = merges
    return list(merges)

# %% minimum_of_all | points 3 | Stops where the most frequent pair of all is rare, and then merges rare pairs if that one is too long.
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), n) for word, n in counts.items()]
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for pieces, n in words:
            for pair in pairwise(pieces):
                freq[pair] += n
        if not freq or max(freq.values()) < min_frequency:
            break
        ok = [p for p in freq if (max_length is None or len(p[0] + p[1]) <= max_length)]
        if not ok:
            break
        best = min(ok, key=lambda p: (-freq[p], p))
        merges.append(best)
        new_words = []
        for pieces, n in words:
            new, i = [], 0
            while i < len(pieces):
                if tuple(pieces[i : i + 2]) == best:
                    new.append(pieces[i] + pieces[i + 1])
                    i += 2
                else:
                    new.append(pieces[i])
                    i += 1
            new_words.append((new, n))
        words = new_words
    return merges

# %% none_means_sixteen | points 3 | A max_length of None becomes 16, as the default of a trainer that was used before.
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    max_length = max_length or 16
    words = [(tuple(w), n) for w, n in counts.items()]
    merges = []
    for _ in range(num_merges):
        freq = Counter()
        for pieces, n in words:
            for pair in zip(pieces, pieces[1:]):
                freq[pair] += n
        options = sorted((-f, p) for p, f in freq.items() if f >= min_frequency and len(p[0]) + len(p[1]) <= max_length)
        if not options:
            break
        left, right = options[0][1]
        merges.append((left, right))
        new_words = []
        for pieces, n in words:
            new = []
            rest = list(pieces)
            while rest:
                if rest[:2] == [left, right]:
                    new.append(left + right)
                    rest = rest[2:]
                else:
                    new.append(rest.pop(0))
            new_words.append((tuple(new), n))
        words = new_words
    return merges

# %% one_merge_at_least | points 3 | Asks whether there are enough merges only after a merge, so with num_merges 0 it never stops before the pairs run out.
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), count) for word, count in counts.items()]
    merges = []
    while True:
        pairs = Counter()
        for pieces, count in words:
            for pair in pairwise(pieces):
                pairs[pair] += count
        candidates = [
            (-n, pair)
            for pair, n in pairs.items()
            if n >= min_frequency and (max_length is None or len("".join(pair)) <= max_length)
        ]
        if not candidates:
            return merges
        best = min(candidates)[1]
        merges.append(best)
        if len(merges) == num_merges:
            return merges
        for pieces, _ in words:
            i = 0
            while i < len(pieces) - 1:
                if (pieces[i], pieces[i + 1]) == best:
                    pieces[i : i + 2] = [best[0] + best[1]]
                i += 1

# %% reversed_ties | points 3 | max with the pair in the key: the largest pair of equals
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = [(list(w), n) for w, n in counts.items()]
    result = []
    for _ in range(num_merges):
        freq = Counter()
        for seq, n in corpus:
            for a, b in zip(seq[:-1], seq[1:]):
                freq[(a, b)] += n
        ok = {p: f for p, f in freq.items() if f >= min_frequency and (not max_length or len("".join(p)) <= max_length)}
        if not ok:
            return result
        top = max(ok.items(), key=lambda kv: (kv[1], kv[0]))[0]
        result.append(top)
        nxt = []
        for seq, n in corpus:
            out = []
            for s in seq:
                if out and (out[-1], s) == top:
                    out[-1] = out[-1] + s
                else:
                    out.append(s)
            nxt.append((out, n))
        corpus = nxt
    return result

# %% skip_after | points 0 | goes on one place too far after a merge
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    out = []
    for _ in range(num_merges):
        freq = Counter()
        for w, p in words.items():
            for a, b in zip(p, p[1:]):
                freq[a, b] += counts[w]
        c = [p for p, n in freq.items() if n >= min_frequency and (max_length is None or len(p[0]+p[1]) <= max_length)]
        if not c: break
        best = min(c, key=lambda p: (-freq[p], p))
        out.append(best)
        for w, p in words.items():
            i = 0
            while i < len(p) - 1:
                if (p[i], p[i+1]) == best:
                    p[i:i+2] = [p[i]+p[i+1]]
                    i += 1
                i += 1
    return out

# %% stops_at_long | points 3 | breaks when the best pair is too long
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {w: list(w) for w in counts}
    merges = []
    for _ in range(num_merges):
        stats = Counter()
        for w, pieces in words.items():
            for pair in zip(pieces, pieces[1:]):
                stats[pair] += counts[w]
        if not stats:
            break
        best = min(stats, key=lambda p: (-stats[p], p[0], p[1]))
        if stats[best] < min_frequency:
            break
        if max_length is not None and len(best[0]) + len(best[1]) > max_length:
            break
        merges.append(best)
        for w, pieces in words.items():
            i, out = 0, []
            while i < len(pieces):
                if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == best:
                    out.append("".join(best)); i += 2
                else:
                    out.append(pieces[i]); i += 1
            words[w] = out
    return merges

# %% strings_back | points 0 | the merges come back as texts, as in merges.txt
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    corpus = [(list(w), n) for w, n in counts.items()]
    result = []
    for _ in range(num_merges):
        freq = Counter()
        for seq, n in corpus:
            for a, b in zip(seq, seq[1:]):
                freq[(a, b)] += n
        ok = [p for p, f in freq.items() if f >= min_frequency and (max_length is None or len("".join(p)) <= max_length)]
        if not ok:
            break
        top = min(ok, key=lambda p: (-freq[p], p))
        result.append(" ".join(top))
        corpus = [(join(seq, top), n) for seq, n in corpus]
    return result

def join(seq, pair):
    out, i = [], 0
    while i < len(seq):
        if tuple(seq[i:i + 2]) == pair:
            out.append(pair[0] + pair[1]); i += 2
        else:
            out.append(seq[i]); i += 1
    return out

# %% text_replace | points 0 | Sennrich's loop without its look-around
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    vocab = {" ".join(w): c for w, c in counts.items()}
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for word, freq in vocab.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += freq
        pairs = {p: f for p, f in pairs.items() if f >= min_frequency and (max_length is None or len(p[0]) + len(p[1]) <= max_length)}
        if not pairs:
            break
        best = sorted(pairs, key=lambda p: (-pairs[p], p))[0]
        merges.append(best)
        vocab = {w.replace(" ".join(best), "".join(best)): c for w, c in vocab.items()}
    return merges

# %% tie_ignores_capitals | points 3 | Ties are broken without regard to capital letters, not as Python compares strings.
from collections import Counter


def merged(pieces, left, right):
    out = []
    for piece in pieces:
        if out and out[-1] == left and piece == right:
            out[-1] = left + right
        else:
            out.append(piece)
    return out


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [(list(word), times) for word, times in counts.items()]
    merges = []
    while len(merges) < num_merges:
        table = Counter()
        for pieces, times in words:
            for pair in zip(pieces, pieces[1:]):
                table[pair] += times
        candidates = [
            pair
            for pair in table
            if table[pair] >= min_frequency
            and (max_length is None or len(pair[0] + pair[1]) <= max_length)
        ]
        if not candidates:
            break
        best = min(candidates, key=lambda p: (-table[p], p[0].lower(), p[1].lower()))
        merges.append(best)
        words = [(merged(pieces, *best), times) for pieces, times in words]
    return merges

# %% ties_by_hyphenated_text | points 3 | Ties compare the text left-right with a hyphen, which is wrong where a left piece goes on with a sign below the hyphen (n, n').
from collections import Counter


def merged(pieces, pair):
    out, i = [], 0
    while i < len(pieces):
        if i + 1 < len(pieces) and (pieces[i], pieces[i + 1]) == pair:
            out.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            out.append(pieces[i])
            i += 1
    return out


def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = {word: list(word) for word in counts}
    merges = []
    for _ in range(num_merges):
        frequency = Counter()
        for word, pieces in words.items():
            for pair in zip(pieces, pieces[1:]):
                frequency[pair] += counts[word]
        candidates = [
            pair
            for pair, number in frequency.items()
            if number >= min_frequency
            and (max_length is None or len(pair[0] + pair[1]) <= max_length)
        ]
        if not candidates:
            break
        best = min(candidates, key=lambda pair: (-frequency[pair], "-".join(pair)))
        merges.append(best)
        words = {word: merged(pieces, best) for word, pieces in words.items()}
    return merges

# %% words_once | points 0 | the counts of the words are not used
def train_merges(counts, num_merges, min_frequency=2, max_length=None):
    words = [list(w) for w in counts]
    merges = []
    while len(merges) < num_merges:
        freq = {}
        for w in words:
            for i in range(len(w) - 1):
                pair = (w[i], w[i + 1])
                freq[pair] = freq.get(pair, 0) + 1
        cand = [(-f, p) for p, f in freq.items() if f >= min_frequency and (max_length is None or len(p[0] + p[1]) <= max_length)]
        if not cand:
            break
        best = min(cand)[1]
        merges.append(best)
        for w in words:
            i = 0
            while i < len(w) - 1:
                if (w[i], w[i + 1]) == best:
                    w[i:i + 2] = [w[i] + w[i + 1]]
                i += 1
    return merges
